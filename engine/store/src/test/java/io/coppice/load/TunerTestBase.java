// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.load;

import static org.assertj.core.api.Assertions.assertThat;

import io.coppice.Store;
import io.coppice.StoreOptions;
import io.coppice.TestStores;
import io.coppice.base.Durability;
import io.coppice.base.MemoryBudget;
import io.coppice.base.thread.SeededWorkers;
import io.coppice.base.thread.Workers;
import io.coppice.io.MemDisk;
import io.coppice.testing.Seeds;
import java.io.IOException;
import java.util.Arrays;
import java.util.NavigableMap;
import java.util.Random;
import java.util.TreeMap;
import org.junit.jupiter.api.AfterEach;

/** Base of tests of a store's tuner, with a seeded clock and schedule. */
public abstract class TunerTestBase {

  protected static final long SECOND = 1_000_000_000L;
  protected static final int KEYS = 20_000;
  protected static final int VALUE_BYTES = 300;

  protected final long seed = Seeds.seed(7);
  private final MemoryBudget memory = MemoryBudget.ofMebibytes(32);
  protected final Random random = new Random(seed);
  protected final SeededWorkers workers = new SeededWorkers(seed);
  protected final NavigableMap<byte[], byte[]> model = new TreeMap<>(Arrays::compareUnsigned);
  protected MemDisk disk = new MemDisk();
  protected Store store;

  protected void open(String policy) throws IOException {
    open(disk, policy, workers);
  }

  protected void open(MemDisk where, String policy, Workers work) throws IOException {
    StoreOptions options =
        StoreOptions.builder()
            .policy(policy)
            .memory(memory)
            .memtableBytes(256 << 10)
            .compactionSlots(2)
            .durability(Durability.BUFFERED)
            .build();
    store = TestStores.open(where, options, work);
  }

  @AfterEach
  void everyKeyIsRight() {
    NavigableMap<byte[], byte[]> shown = NumberedWrites.contents(store);
    assertThat(NumberedWrites.same(shown, model)).as("seed %d", seed).isTrue();
    model.keySet().stream()
        .limit(1000)
        .forEach(key -> assertThat(store.get(key)).isEqualTo(model.get(key)));
    store.close();
    assertThat(memory.usedBytes()).isZero();
  }

  /** Runs the background work and advances the clock to the next full second. */
  protected void settle() {
    boolean more = true;
    while (more) {
      more = workers.step();
    }
    workers.pass(SECOND - workers.nanoTime() % SECOND);
    workers.step("-tune");
  }
}
