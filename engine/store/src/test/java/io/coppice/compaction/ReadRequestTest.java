// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.compaction;

import static org.assertj.core.api.Assertions.assertThat;

import io.coppice.Store;
import io.coppice.StoreOptions;
import io.coppice.TestStores;
import io.coppice.base.Durability;
import io.coppice.base.MemoryBudget;
import io.coppice.entry.EntryBatch;
import io.coppice.io.MemDisk;
import io.coppice.policy.LevelFacts;
import io.coppice.policy.Reason;
import io.coppice.policy.RunFacts;
import io.coppice.policy.SegmentFacts;
import io.coppice.policy.Shape;
import io.coppice.read.FamilyReader;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What lookups ask of the compactor: the merge of virtual segments that make them dear. */
class ReadRequestTest {

  private static final int KEYS = 300;
  private static final byte[] VALUE = new byte[100];

  private static final String POLICY =
      "delayed,fanout=4,l0_trigger=2,base_size=4KiB,table_size=4KiB,vct=20,vsmt=3,"
          + "max_pinned_ratio=50";

  private final MemDisk disk = new MemDisk();
  private Store store;

  @BeforeEach
  void openPaused() throws IOException {
    store = openPaused(disk, POLICY);
  }

  private static Store openPaused(MemDisk disk, String policy) throws IOException {
    return TestStores.openPaused(
        disk,
        StoreOptions.builder()
            .policy(policy)
            .memory(MemoryBudget.ofMebibytes(32))
            .memtableBytes(1 << 20)
            .build());
  }

  @AfterEach
  void close() {
    store.close();
  }

  @Test
  void aLookupAsksForTheFirstGroupItMeetsAndNoOther() throws InterruptedException {
    delayInSeveralLevels();
    List<Set<Long>> groups = groupsByLevel(3);
    assertThat(groups).as("levels with segments of 3 parents").hasSizeGreaterThan(1);
    int asked = 0;
    for (int number = 0; number < KEYS; number++) {
      Set<Long> before = compactor().shape(0).requests();
      TestStores.reader(store.family("default")).get(key(number), FamilyReader.NEWEST);
      Set<Long> more = new TreeSet<>(compactor().shape(0).requests());
      more.removeAll(before);
      assertThat(more).as("requests of one lookup").hasSizeLessThan(2);
      asked += more.size();
    }
    assertThat(asked).isPositive();
    assertThat(compactor().shape(0).requests())
        .as("groups asked for")
        .isSubsetOf(groups.stream().flatMap(Set::stream).collect(Collectors.toSet()));
  }

  @Test
  void whatReadsAskForIsMergedAndThenForgotten() throws InterruptedException {
    delayInSeveralLevels();
    lookUpAll();
    Set<Long> requests = compactor().shape(0).requests();
    assertThat(requests).isNotEmpty();
    while (compactor().carryOutNext()) {
      assertThat(requests).containsAll(compactor().shape(0).requests());
    }
    assertThat(compactor().shape(0).requests()).isEmpty();
    for (Set<Long> groups : groupsByLevel(1)) {
      assertThat(groups).doesNotContainAnyElementsOf(requests);
    }
    assertThat(store.decisions())
        .anySatisfy(
            decision ->
                assertThat(decision.plan())
                    .hasValueSatisfying(
                        plan -> assertThat(plan.reason().code()).isEqualTo(Reason.READ_REQUEST)));
  }

  @Test
  void aReadAloneWakesTheCompactor() throws InterruptedException {
    delayInSeveralLevels();
    compactor().resume();
    compactor().awaitIdle();
    assertThat(groupsByLevel(3)).isNotEmpty();
    for (int pass = 0; pass < 20 && !groupsByLevel(3).isEmpty(); pass++) {
      for (int number = 0; number < KEYS; number++) {
        // An absent key is looked for in every level.
        TestStores.reader(store.family("default"))
            .get(Arrays.copyOf(key(number), Integer.BYTES + 1), FamilyReader.NEWEST);
      }
      compactor().awaitIdle();
    }
    assertThat(groupsByLevel(3)).as("groups of 3 parents and more").isEmpty();
  }

  @Test
  void withoutEnoughParentsNothingIsAskedFor() throws InterruptedException {
    flush(0, 20);
    flush(0, 20);
    while (compactor().carryOutNext()) {}
    assertThat(groupsByLevel(1)).isNotEmpty();
    assertThat(groupsByLevel(3)).isEmpty();
    lookUpAll();
    assertThat(compactor().shape(0).requests()).isEmpty();
  }

  @Test
  void lookupsPayForAMergeOnTheTermsOfThePolicy() throws InterruptedException {
    store.policy(POLICY + ",read_cost=1");
    delayInSeveralLevels();
    lookUpAll();
    assertThat(compactor().shape(0).requests()).as("paid by one byte per table").isEmpty();
    store.policy(POLICY + ",read_cost=1GiB");
    assertThat(compactor().shape(0).requests()).as("paid by a GiB per table").isNotEmpty();
  }

  @Test
  void aFlushPaysForOneMergeThatReadsRequest() throws InterruptedException, IOException {
    delayInSeveralLevels();
    store.close();
    // The balance of an opened store is 0.
    store = openPaused(disk.reopen(), POLICY + ",read_cost=1GiB,read_share=0");
    lookUpAll();
    assertThat(compactor().shape(0).requests()).isEmpty();
    flush(0, KEYS);
    while (compactor().carryOutNext()) {}
    long merges =
        store.decisions().stream()
            .flatMap(decision -> decision.plan().stream())
            .filter(plan -> plan.reason().code().equals(Reason.READ_REQUEST))
            .count();
    assertThat(merges).isEqualTo(1);
    assertThat(groupsByLevel(3)).as("groups that were looked up").isNotEmpty();
  }

  private void lookUpAll() {
    for (int number = 0; number < KEYS; number++) {
      TestStores.reader(store.family("default")).get(key(number), FamilyReader.NEWEST);
    }
  }

  private Compactor compactor() {
    return TestStores.compactor(store);
  }

  private void delayInSeveralLevels() throws InterruptedException {
    for (int i = 0; i < 12; i++) {
      flush(i % 5, 5);
      while (compactor().carryOutNext()) {}
    }
  }

  /** Writes every so many-th key, so that flushes lie over each other. */
  private void flush(int first, int apart) throws InterruptedException {
    EntryBatch batch = new EntryBatch();
    for (int number = first; number < KEYS; number += apart) {
      batch.put(key(number), 0, Integer.BYTES, VALUE, 0, VALUE.length);
    }
    TestStores.writes(store).commit(batch, Durability.NONE);
    TestStores.writes(store).flush();
  }

  /** For each level that has any, the groups of at least so many parents. */
  private List<Set<Long>> groupsByLevel(int parents) {
    Shape shape = compactor().shape(0);
    List<Set<Long>> found = new ArrayList<>();
    for (LevelFacts level : shape.levels()) {
      Set<Long> groups = new TreeSet<>();
      for (RunFacts run : level.runs()) {
        for (SegmentFacts segment : run.segments()) {
          if (segment.parents() >= parents) {
            groups.add(segment.group());
          }
        }
      }
      if (!groups.isEmpty()) {
        found.add(groups);
      }
    }
    return found;
  }

  private static byte[] key(int number) {
    return ByteBuffer.allocate(Integer.BYTES).putInt(number).array();
  }
}
