// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.bench.papers;

import io.coppice.Store;
import io.coppice.workload.Keys;
import io.coppice.workload.Latencies;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Random;
import java.util.Set;

/**
 * A process that loads four runs and merges them, with pauses, beside a client that looks keys up.
 * Its last line is a {@link Pauses}.
 */
public final class PauseProcess {

  private static final int MOST_ENTRIES = 1_300_000;

  /** Merging and pausing take turns, so that both see the store from four runs to one. */
  private static final int PAUSES = 6;

  /** Lookups between two looks at how far the merge has come. */
  private static final int BURST = 100;

  private static final int WARM_UP_READS = 10_000;

  private final Path directory;
  private final int entries;
  private final long seed;
  private final FourRuns runs;
  private final Random random;
  private final byte[] key = new byte[Keys.BYTES];

  private PauseProcess(Path directory, int entries, boolean direct, long seed) {
    this.directory = directory;
    this.entries = Math.min(entries, MOST_ENTRIES);
    this.seed = seed;
    runs = new FourRuns(directory, this.entries, direct, seed);
    random = new Random(seed);
  }

  /** Of its keys and values, at any scale. */
  static long mostBytes() {
    return FourRuns.bytes(MOST_ENTRIES);
  }

  /** Arguments: directory, entries, whether lookups go to the device, seed. */
  public static void main(String[] args) throws Exception {
    PauseProcess process =
        new PauseProcess(
            Path.of(args[0]),
            Integer.parseInt(args[1]),
            Boolean.parseBoolean(args[2]),
            Long.parseLong(args[3]));
    Pauses found = process.run();
    process.check();
    System.out.println(found.text());
  }

  private Pauses run() throws IOException, InterruptedException {
    long total = runs.load();
    Set<String> before = runs.tables();
    Latencies merging = new Latencies();
    Latencies paused = new Latencies();
    try (Store store = runs.open()) {
      read(store, WARM_UP_READS, new Latencies());
      Thread merge = new Thread(() -> FourRuns.compact(store), "merge");
      merge.start();
      for (int pause = 1; pause <= PAUSES; pause++) {
        long wanted = pause * total / (PAUSES + 1);
        int reads = 0;
        while (merge.isAlive() && runs.made(before) < wanted) {
          read(store, BURST, merging);
          reads += BURST;
        }
        store.pauseCompaction();
        read(store, reads, paused);
        store.resumeCompaction();
      }
      merge.join();
      store.awaitIdle();
      double extra = (double) (store.stats().mergedBytes() - total) / runs.tableBytes();
      return new Pauses(merging.nanosAt(0.99) / 1e3, paused.nanosAt(0.99) / 1e3, extra);
    }
  }

  /** What each lookup returned was checked; this is of all keys, after the end. */
  private void check() {
    FourRuns mapped = new FourRuns(directory, entries, false, seed);
    try (Store store = mapped.open()) {
      mapped.check(store);
    }
  }

  private void read(Store store, int reads, Latencies latencies) {
    for (int i = 0; i < reads; i++) {
      int index = random.nextInt(entries);
      long start = System.nanoTime();
      runs.check(store, key, index);
      latencies.record(System.nanoTime() - start);
    }
  }
}
