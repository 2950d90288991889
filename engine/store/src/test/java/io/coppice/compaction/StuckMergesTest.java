// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.compaction;

import static org.assertj.core.api.Assertions.assertThat;

import com.codahale.metrics.MetricRegistry;
import io.coppice.Store;
import io.coppice.StoreOptions;
import io.coppice.TestStores;
import io.coppice.WriteBatch;
import io.coppice.base.Durability;
import io.coppice.base.StalledException;
import io.coppice.base.thread.SeededWorkers;
import io.coppice.io.MemDisk;
import io.coppice.policy.Backlog;
import io.coppice.testing.Seeds;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

/**
 * Under a bound of transient space that is too small for merges, a write has its effect or names
 * cause and cure. Replays one trial with {@code -Dseed=N}.
 */
class StuckMergesTest {

  private static final int TRIALS = Integer.getInteger("trials", 3);

  private static final List<String> POLICIES =
      List.of(
          "split-forest",
          "lazy-binomial",
          "leveled,l0_trigger=4,table_size=256KiB",
          "leveled,l0_trigger=4,table_size=256KiB,cleaning_threshold=0",
          "tiered,trigger=4",
          "delayed",
          "grouped");

  @Test
  void aWriteThatWaitsForNoMergeSaysSo() throws IOException {
    for (long seed : Seeds.fromFirst(TRIALS).toArray()) {
      Random random = new Random(seed);
      String policy = POLICIES.get(random.nextInt(POLICIES.size()));
      long bound = 1L << (10 + random.nextInt(9));
      String said = "-Dseed=" + seed + ": " + policy + ", " + bound + " bytes";
      write(policy, bound, seed, said);
    }
  }

  @Test
  void theErrorNamesBoundAndNeed() throws IOException {
    assertThat(write("leveled,l0_trigger=4,table_size=256KiB", 1 << 10, 1, ""))
        .contains("merge needs ")
        .contains("maxTransientSpace is 1024; reopen the store with a larger");
  }

  /** Returns the message of the write that gave up; empty if all were done. */
  private static String write(String policy, long bound, long seed, String said)
      throws IOException {
    MetricRegistry metrics = new MetricRegistry();
    StoreOptions options =
        StoreOptions.builder()
            .name("stuck")
            .metrics(metrics)
            .policy(policy)
            .maxTransientSpace(bound)
            .memtableBytes(64 << 10)
            .build();
    MemDisk disk = new MemDisk();
    String message = "";
    int written = 0;
    try (Store store = TestStores.open(disk, options, new SeededWorkers(seed))) {
      try {
        for (; written < 400; written++) {
          store.write(new WriteBatch().put(key(written), new byte[20_000]), Durability.BUFFERED);
        }
      } catch (StalledException e) {
        message = e.getMessage();
        assertThat(message).as(said).contains("level 0 of family 'default' has ");
        Backlog backlog = TestStores.compactor(store).backlog(0);
        assertThat(message)
            .as(said)
            .contains(backlog.headroomBytes() > bound ? "" + bound : policy);
        assertThat(metrics.getGauges().get("coppice.stuck.default.HeadroomLimitBytes").getValue())
            .as(said)
            .isEqualTo(bound);
      }
      for (int i = 0; i < written; i++) {
        assertThat(store.get(key(i))).as(said).hasSize(20_000);
      }
      try (Store readOnly = TestStores.openReadOnly(disk.kill(), options)) {
        assertThat(readOnly.decisions()).as(said).isNotEmpty();
      }
    }
    return message;
  }

  private static byte[] key(int number) {
    return ("key" + number * 7919 % 1000 + "-" + number).getBytes(StandardCharsets.US_ASCII);
  }
}
