// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.compaction;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.coppice.StoreOptions;
import io.coppice.TestStores;
import io.coppice.base.CompactionFilter;
import io.coppice.base.Durability;
import io.coppice.base.MemoryBudget;
import io.coppice.base.StalledException;
import io.coppice.io.MemDisk;
import io.coppice.io.PowerDisk;
import io.coppice.load.DeterministicStore;
import io.coppice.load.NumberedWrites;
import io.coppice.policy.LevelFacts;
import io.coppice.policy.Plan;
import io.coppice.policy.Reason;
import io.coppice.policy.RunFacts;
import io.coppice.policy.Shape;
import io.coppice.policy.Target;
import io.coppice.testing.Seeds;
import io.coppice.version.Run;
import io.coppice.version.Segment;
import io.coppice.version.Slice;
import io.coppice.version.Version;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.function.Predicate;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What ends merges early, what splits them, and what holds writers back, one step at a time. */
class MergeStepsTest {

  private static final String FOREST = "split-forest,fanout=4,table_size=4KiB,cleaning_threshold=";
  private static final int KEYS = 4_000;
  private static final int TABLE_BYTES = 4 << 10;
  private static final long SECOND = 1_000_000_000L;

  private final NumberedWrites writes = new NumberedWrites(KEYS);
  private final MemoryBudget memory = MemoryBudget.ofMebibytes(16);
  private final long seed = Seeds.seed(9);
  private final PowerDisk disk = new PowerDisk(new MemDisk(), line -> sample());
  private DeterministicStore store;
  private long written;

  private boolean looking;
  private boolean sawParts;
  private long maxBytes;

  private StoreOptions.Builder options(String policy, int slots) {
    return StoreOptions.builder()
        .policy(policy)
        .memory(memory)
        .memtableBytes(64 << 10)
        .compactionSlots(slots)
        .durability(Durability.NONE);
  }

  private void open(StoreOptions.Builder options) throws IOException {
    store = DeterministicStore.open(disk, options.build(), seed);
  }

  private void write() {
    writes.write(store.store(), written++, Durability.NONE);
  }

  /** One run of level 0. */
  private void flushSome(int entries) {
    for (int i = 0; i < entries; i++) {
      write();
    }
    store.store().flush();
  }

  /** As {@link #flushSome}, but no merge goes on meanwhile. */
  private void flushOnly() {
    int runs = flushes();
    while (flushes() == runs) {
      // So much time passes that no writer is held back.
      store.workers().pass(SECOND);
      write();
      while (store.workers().step("-flush")) {}
    }
  }

  /** Runs in level 0. */
  private int flushes() {
    return version().levels().get(0).runs().size();
  }

  private Compactor compactor() {
    return TestStores.compactor(store.store());
  }

  private Version version() {
    return TestStores.versions(store.store().family("default")).current();
  }

  private boolean holds() {
    return NumberedWrites.same(NumberedWrites.contents(store.store()), writes.after(written));
  }

  @AfterEach
  void everythingIsThereAndGivenBack() {
    looking = false;
    assertThat(holds()).as(Seeds.replay(getClass(), seed)).isTrue();
    store.close();
    assertThat(memory.usedBytes()).isZero();
  }

  /** Steps of merges only, until the shape says so. */
  private void mergeUntil(Predicate<Shape> reached) {
    for (int i = 0; i < 10_000 && !reached.test(compactor().shape(0)); i++) {
      store.workers().step("-merge-");
    }
    assertThat(reached.test(compactor().shape(0))).isTrue();
  }

  private static boolean merging(Shape shape) {
    return !shape.runningPlans().isEmpty();
  }

  private static int claimedFlushes(Shape shape) {
    int claimed = 0;
    for (RunFacts run : shape.levels().get(0).runs()) {
      claimed += run.segments().stream().anyMatch(s -> s.slices().get(0).claimed()) ? 1 : 0;
    }
    return claimed;
  }

  private static long entries(Shape shape) {
    long entries = 0;
    for (LevelFacts level : shape.levels()) {
      for (RunFacts run : level.runs()) {
        entries +=
            run.segments().stream()
                .flatMap(segment -> segment.slices().stream())
                .mapToLong(slice -> slice.entries())
                .sum();
      }
    }
    return entries;
  }

  private void load(int flushes, int entries) {
    store.store().pauseCompaction();
    for (int i = 0; i < flushes; i++) {
      flushSome(entries);
    }
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void aPausedMergeEndsAtItsNextTableAndIsPlannedOnAfterwards(boolean atOnce) throws IOException {
    open(options(FOREST + 2, 2));
    load(8, 300);
    store.store().resumeCompaction();
    mergeUntil(MergeStepsTest::merging);
    long steps = store.store().stats().mergeSteps();
    while (store.store().stats().mergeSteps() < steps + 2) {
      store.workers().step("-merge-");
    }
    if (atOnce) {
      store.store().cancelCompaction();
    } else {
      store.store().pauseCompaction();
    }
    assertThat(compactor().shape(0).runningPlans()).isEmpty();
    long paused = store.store().stats().mergeSteps();
    store.settle();
    assertThat(store.store().stats().mergeSteps()).as("while it is paused").isEqualTo(paused);
    assertThat(holds()).isTrue();
    store.store().resumeCompaction();
    store.store().awaitIdle();
    assertThat(store.store().stats().mergeSteps()).isGreaterThan(paused);
    assertThat(flushes()).isLessThan(8);
  }

  @Test
  void anotherPolicyGoesOnFromWhatAMergeLeft() throws IOException {
    open(options(FOREST + 1, 2));
    List<String> policies =
        List.of(
            "leveled,fanout=3,l0_trigger=2,table_size=4KiB,cleaning_threshold=1",
            "tiered,trigger=4,table_size=8KiB,cleaning_threshold=2",
            "delayed,fanout=3,l0_trigger=2,base_size=16KiB,table_size=4KiB,vct=7,vsmt=2",
            "grouped,groups=2,table_size=4KiB",
            "lazy-binomial,k=2,table_size=4KiB",
            FOREST + 3);
    Random random = Seeds.random(seed, 1);
    for (int i = 0; i < 60; i++) {
      flushSome(100 + random.nextInt(200));
      for (int steps = random.nextInt(30); steps > 0; steps--) {
        store.step();
      }
      store.store().policy(policies.get(random.nextInt(policies.size())));
    }
    store.store().awaitIdle();
    assertThat(compactor().backlog(0).plans()).isZero();
  }

  @Test
  void aMergeThatFailsBehindAChangeOfPolicyLeavesNoFailure() throws IOException {
    boolean[] due = {true};
    CompactionFilter filter =
        new CompactionFilter() {
          @Override
          public String name() {
            return "changing";
          }

          @Override
          public Verdict filter(byte[] key, byte[] value) {
            if (due[0]) {
              due[0] = false;
              // As another thread would do at this moment.
              store.store().policy("leveled,l0_trigger=64,table_size=4KiB");
              throw new IllegalStateException("as asked");
            }
            return Verdict.KEEP;
          }
        };
    open(options(FOREST + 2, 1).compactionFilter(filter));
    load(8, 300);
    store.store().resumeCompaction();
    mergeUntil(shape -> !due[0] && !merging(shape));
    assertThat(store.store().stats().families().get(0).failedPlans()).isEqualTo(1);
    store.store().awaitIdle();
  }

  @Test
  void aLargeMergeYieldsItsOnlySlotWhenWritersAreNearStopping() throws IOException {
    open(options(FOREST + 4, 1));
    boolean found = false;
    for (int round = 0; round < 40 && !found; round++) {
      load(4, 250);
      store.store().resumeCompaction();
      while (!found && store.workers().step("-merge-")) {
        Shape shape = compactor().shape(0);
        found = merging(shape) && claimedFlushes(shape) == 0;
      }
    }
    assertThat(found).as("a merge that takes no flushes").isTrue();
    long before = store.store().stats().mergeSteps();
    while (flushes() < 42) {
      flushOnly();
    }
    assertThat(store.store().stats().mergeSteps()).isEqualTo(before);
    assertThat(claimedFlushes(compactor().shape(0))).isZero();
    mergeUntil(shape -> claimedFlushes(shape) > 0);
    assertThat(store.store().stats().mergeSteps())
        .as("one table each")
        .isBetween(before, before + 1);
    store.store().awaitIdle();
  }

  @Test
  void partsOfAMergeMakeWhatTheWholeMakesWithinTheSpaceOfAsManyMerges() throws IOException {
    int c = 10;
    int k = 6;
    int slots = 3;
    long[] entries = new long[2];
    for (int round = 0; round < 2; round++) {
      written = 0;
      store =
          DeterministicStore.open(
              round == 0 ? new PowerDisk(new MemDisk()) : disk,
              options(FOREST + c, round == 0 ? 1 : slots).build(),
              seed);
      load(k, 250);
      assertThat(flushes()).isEqualTo(k);
      long before = tableBytes();
      looking = round == 1;
      store.store().resumeCompaction();
      store.store().compact();
      looking = false;
      entries[round] = entries(compactor().shape(0));
      assertThat(holds()).isTrue();
      if (round == 1) {
        long table = 0;
        for (Slice slice : version().slices()) {
          table = Math.max(table, slice.table().bytes());
        }
        assertThat(sawParts).as("the merge was cut").isTrue();
        assertThat(maxBytes - before).isLessThanOrEqualTo(slots * (c + k) * table);
      } else {
        store.close();
      }
    }
    assertThat(entries[1]).isEqualTo(entries[0]);
  }

  /** Called before each change of the disk. */
  private void sample() {
    if (!looking) {
      return;
    }
    maxBytes = Math.max(maxBytes, tableBytes());
    for (Run run : version().levels().get(0).runs()) {
      Set<Long> tables = new HashSet<>();
      for (Segment segment : run.segments()) {
        sawParts |= !tables.add(segment.slices().get(0).table().number());
      }
    }
  }

  private long tableBytes() {
    long bytes = 0;
    for (String name : disk.below().list()) {
      if (name.endsWith(".tbl")) {
        try {
          bytes += disk.below().bytes(name).length;
        } catch (IOException e) {
          throw new UncheckedIOException(e);
        }
      }
    }
    return bytes;
  }

  @Test
  void aMergeThatForecastsNothingTakesAllItsInputsFromTheBudget() throws IOException {
    long allowed = 1L << 30;
    open(options(FOREST + 1, 2).maxTransientSpace(allowed));
    load(4, 250);
    Shape shape = compactor().shape(0);
    List<Long> slices = new ArrayList<>();
    shape
        .levels()
        .get(0)
        .runs()
        .get(3)
        .segments()
        .forEach(s -> slices.add(s.slices().get(0).slice()));
    long bytes = shape.levels().get(0).runs().get(3).bytes();
    Plan silent = new Plan.Merge(slices, Target.newest(1), 1, Reason.of("by-hand", "by hand"));
    store.store().resumeCompaction();
    compactor().carryOut(0, silent);
    store.store().awaitIdle();
    assertThat(store.store().decisions())
        .as("what was asked while it ran")
        .anyMatch(decision -> decision.budget().transientBytes() == allowed - bytes);
  }

  @Test
  void aMergeRateHoldsForMergesAndNotForFlushes() throws IOException {
    open(options(FOREST + 2, 2).compactionRate(100_000));
    load(8, 300);
    long flushed = store.workers().nanoTime();
    store.store().resumeCompaction();
    store.store().awaitIdle();
    long merged = store.store().stats().mergedBytes();
    double seconds = (double) (store.workers().nanoTime() - flushed) / SECOND;
    assertThat(merged / seconds).isLessThan(110_000);
    assertThat(store.store().stats().flushedBytes()).isGreaterThan(100_000);
    store.store().compactionRate(0);
    load(8, 300);
    long free = store.workers().nanoTime();
    store.store().resumeCompaction();
    store.store().awaitIdle();
    assertThat(store.workers().nanoTime() - free).isLessThan((long) (seconds / 2 * SECOND));
    assertThatThrownBy(() -> store.store().compactionRate(-1)).hasMessageContaining("-1");
  }

  @Test
  void aMergeOfOneTablePaysForIt() throws IOException {
    long rate = 10_000;
    open(options("leveled,l0_trigger=2,table_size=1MiB", 1).compactionRate(rate));
    load(2, 200);
    long began = store.workers().nanoTime();
    store.store().resumeCompaction();
    store.store().compact();
    long merged = store.store().stats().mergedBytes();
    assertThat(merged).isGreaterThan(rate);
    // What was not used before is kept for a tenth of a second.
    assertThat(store.workers().nanoTime() - began)
        .isGreaterThan(merged * SECOND / rate - SECOND / 10);
  }

  @Test
  void aMergeThatDropsAllThatPassesEndsItsStepsAndCanBePaused() throws IOException {
    open(options(FOREST + 2, 1));
    load(8, 600);
    store.store().deleteRange(new byte[] {'k'}, new byte[] {'l'});
    store.store().flush();
    written = 0;
    long before = entries(compactor().shape(0));
    store.store().resumeCompaction();
    mergeUntil(MergeStepsTest::merging);
    mergeUntil(shape -> store.store().stats().mergeSteps() >= 3);
    store.store().pauseCompaction();
    assertThat(compactor().shape(0).runningPlans()).isEmpty();
    assertThat(store.store().stats().mergeSteps()).isLessThanOrEqualTo(4);
    assertThat(entries(compactor().shape(0))).isBetween(before / 10, before * 9 / 10);
    assertThat(holds()).isTrue();
    store.store().resumeCompaction();
    store.store().compact();
    assertThat(entries(compactor().shape(0))).isZero();
  }

  @Test
  void writersAreHeldBackMoreAndMoreAndStoppedOnlyAtTheEnd() throws IOException {
    open(options(FOREST + 2, 1));
    store.store().pauseCompaction();
    List<Double> delays = new ArrayList<>();
    assertThatThrownBy(
            () -> {
              while (flushes() < 60) {
                write();
                double delay = store.store().stats().writeDelayNanosPerByte();
                if (delays.isEmpty() || delays.get(delays.size() - 1) != delay) {
                  delays.add(delay);
                }
                store.store().flush();
              }
            })
        .isInstanceOf(StalledException.class)
        .hasMessageContaining("paused");
    // What was refused had no effect.
    written--;
    assertThat(delays.get(0)).isZero();
    assertThat(delays).isSorted().hasSizeGreaterThan(20);
    store.store().resumeCompaction();
    write();
    store.store().awaitIdle();
    write();
    assertThat(store.store().stats().writeDelayNanosPerByte()).isZero();
  }
}
