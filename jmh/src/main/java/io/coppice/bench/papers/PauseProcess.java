// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.bench.papers;

import io.coppice.Store;
import io.coppice.bench.suite.ChildTask;
import io.coppice.bench.suite.ParentLines;
import io.coppice.workload.BenchmarkKeys;
import io.coppice.workload.LatencyHistogram;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Random;
import java.util.Set;

/**
 * Process that loads a store of four runs and merges them with pauses, while a client looks keys
 * up. Its result is a {@link Pauses}.
 */
final class PauseProcess {

  static final int MAX_ENTRIES = 1_300_000;

  /**
   * Number of pauses of the merge. Merging and pausing alternate, so both are measured in all
   * states between four runs and nearly one.
   */
  static final int PAUSES = 6;

  /**
   * Number of lookups between two checks of the files. The lookup after a check may be slow, but is
   * too rare to affect the 99th percentile.
   */
  private static final int BURST = 500;

  private static final int WARM_UP_READS = 10_000;

  private final FourRuns runs;
  private final int entries;
  private final boolean direct;
  private final Random random;
  private final byte[] key = new byte[BenchmarkKeys.BYTES];

  private PauseProcess(Task task) {
    entries = Math.min(task.entries, MAX_ENTRIES);
    direct = task.direct;
    runs = new FourRuns(task.directory, entries, task.seed);
    random = new Random(task.seed);
  }

  /** Returns the bytes of the process's keys and values at the largest scale. */
  static long maxBytes() {
    return FourRuns.bytes(MAX_ENTRIES);
  }

  /**
   * Task of the process.
   *
   * @param entries number of entries
   * @param direct whether lookups read from the device
   */
  record Task(Path directory, int entries, boolean direct, long seed) implements ChildTask {
    @Override
    public void run(ParentLines parent) throws Exception {
      PauseProcess process = new PauseProcess(this);
      Pauses found = process.run();
      process.check();
      parent.say("result", found);
    }
  }

  /**
   * Alternates pauses and merging, so that each pause and the merging after it begin in the same
   * state of the store. Both check the directory equally often, because a lookup after a check is
   * slower.
   */
  private Pauses run() throws IOException, InterruptedException {
    long total = runs.load(direct);
    Set<Path> before = runs.tables();
    LatencyHistogram merging = new LatencyHistogram();
    LatencyHistogram paused = new LatencyHistogram();
    try (Store store = runs.open(direct)) {
      read(store, WARM_UP_READS, new LatencyHistogram());
      Thread merge = FourRuns.merge(store);
      int reads = readUntil(store, merge, before, total / (PAUSES + 1), new LatencyHistogram());
      for (int pause = 1; pause <= PAUSES; pause++) {
        store.pauseCompaction();
        read(store, BURST, new LatencyHistogram());
        for (int done = 0; done < reads; done += BURST) {
          read(store, BURST, paused);
          runs.made(before);
        }
        store.resumeCompaction();
        long wanted = pause < PAUSES ? (pause + 1) * total / (PAUSES + 1) : Long.MAX_VALUE;
        reads = readUntil(store, merge, before, wanted, merging);
      }
      merge.join();
      store.awaitIdle();
      double extra = (double) (store.stats().mergedBytes() - total) / runs.tableBytes();
      if (extra <= -1) {
        throw new IllegalStateException(-extra + " tables were not merged");
      }
      return new Pauses(merging.nanosAt(0.99) / 1e3, paused.nanosAt(0.99) / 1e3, extra);
    }
  }

  /**
   * Looks up keys until the merge has written the given bytes. Returns the number of lookups, at
   * least {@link #BURST}: a stall of this thread may last until the merge has passed that point.
   *
   * @param before table files that existed before the merge
   * @param wanted bytes that the merge must have written
   */
  private int readUntil(
      Store store, Thread merge, Set<Path> before, long wanted, LatencyHistogram latencies)
      throws IOException {
    int reads = 0;
    do {
      read(store, BURST, latencies);
      reads += BURST;
    } while (merge.isAlive() && runs.made(before) < wanted);
    return reads;
  }

  /**
   * Opens the store again, looks up all keys and checks their values.
   *
   * @throws io.coppice.bench.suite.WrongAnswerException if a key has another value or none
   */
  private void check() {
    try (Store store = runs.open(false)) {
      runs.check(store);
    }
  }

  private void read(Store store, int reads, LatencyHistogram latencies) {
    for (int i = 0; i < reads; i++) {
      int index = random.nextInt(entries);
      BenchmarkKeys.write(key, index);
      long start = System.nanoTime();
      byte[] found = store.get(key);
      latencies.record(System.nanoTime() - start);
      runs.check(index, found);
    }
  }
}
