// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.bench.cost;

import com.google.common.util.concurrent.MoreExecutors;
import io.coppice.Store;
import io.coppice.StoreStats;
import io.coppice.bench.store.BenchOptions;
import io.coppice.bench.store.CoppiceStore;
import io.coppice.bench.suite.ChildTask;
import io.coppice.bench.suite.Directories;
import io.coppice.bench.suite.ParentLines;
import io.coppice.policy.Plan;
import io.coppice.policy.observe.Decision;
import io.coppice.policy.spec.PolicySpec;
import io.coppice.simulator.keys.Permutation;
import io.coppice.workload.BenchmarkKeys;
import io.coppice.workload.UniformDraws;
import io.coppice.workload.Values;
import java.nio.file.Path;
import java.util.Set;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;

/**
 * Process that measures the disk usage of one store under one load. It writes lines to its parent:
 * {@code at} with progress, {@code result} with figures.
 */
public final class SpaceProcess {

  private static final long SAMPLE_MILLIS = 100;
  private static final int MERGE_SLOTS = 1;
  private static final long CACHE_BYTES = 512L << 20;
  private static final int OVERWRITES = 3;

  /** Load that writes every key once, in random order. */
  static final String PERMUTATION = "permutation";

  /**
   * Task of the process.
   *
   * @param load {@link #PERMUTATION}, or any other text for three writes per key, with keys drawn
   *     at random
   * @param cleaningThreshold {@code cleaning_threshold} of the policy: output tables after which a
   *     merge releases its consumed inputs; 0 means only at its end
   */
  record Task(
      Path directory,
      String load,
      int entries,
      int valueBytes,
      long memtableBytes,
      String policy,
      long seed,
      int cleaningThreshold)
      implements ChildTask {

    @Override
    public void run(ParentLines parent) throws Exception {
      SpaceProcess process = new SpaceProcess(this, parent);
      try (process.store) {
        parent.say("result", process.run());
      }
    }

    String wholePolicy() {
      return policy + ",cleaning_threshold=" + cleaningThreshold;
    }
  }

  private final ParentLines parent;
  private final Path directory;
  private final Task task;
  private final Store store;
  private final long tableBytes;

  // Written by the sampling thread, read once it has ended.
  private long peak;
  private long transientPeak;
  private int samples;
  private int runs;
  private long lastDecision;

  private SpaceProcess(Task task, ParentLines parent) {
    this.parent = parent;
    this.directory = task.directory;
    this.task = task;
    tableBytes = PolicySpec.parse(task.wholePolicy()).tableBytes();
    store =
        Store.open(
            directory,
            CoppiceStore.options(
                    task.wholePolicy(),
                    BenchOptions.MEMTABLES * task.memtableBytes() + CACHE_BYTES,
                    task.memtableBytes())
                .compactionSlots(MERGE_SLOTS)
                .build());
  }

  private Space run() throws Exception {
    ScheduledExecutorService sampler = Executors.newSingleThreadScheduledExecutor();
    sampler.scheduleAtFixedRate(this::sample, 0, SAMPLE_MILLIS, TimeUnit.MILLISECONDS);
    long start = System.nanoTime();
    write();
    final double writeSeconds = seconds(start);
    store.flush();
    store.awaitIdle();
    final double settledSeconds = seconds(start);
    if (!MoreExecutors.shutdownAndAwaitTermination(sampler, 1, TimeUnit.MINUTES)) {
      throw new IllegalStateException("sampling does not end");
    }
    sample();
    StoreStats before = store.stats();
    final long live = Directories.bytes(directory, "*");
    long compacting = System.nanoTime();
    store.compact();
    double compactSeconds = seconds(compacting);
    long read = store.stats().mergeReadBytes() - before.mergeReadBytes();
    int step = task.cleaningThreshold();
    long bound = step == 0 ? 0 : MERGE_SLOTS * (step + runs) * tableBytes;
    return new Space(
        writeSeconds,
        settledSeconds,
        peak,
        live,
        transientPeak,
        bound,
        runs,
        before.writeAmplification(),
        read / compactSeconds,
        samples);
  }

  private void write() {
    boolean each = task.load().equals(PERMUTATION);
    Permutation once = new Permutation(task.entries(), task.seed());
    UniformDraws any = new UniformDraws(task.seed(), task.entries());
    Values values = new Values(task.valueBytes(), task.seed());
    long writes = each ? task.entries() : (long) OVERWRITES * task.entries();
    byte[] key = new byte[BenchmarkKeys.BYTES];
    byte[] value = new byte[values.length()];
    for (long i = 0; i < writes; i++) {
      BenchmarkKeys.write(key, each ? once.of((int) i) : any.next());
      System.arraycopy(values.pool(), values.position(i), value, 0, value.length);
      store.put(key, value);
      if ((i & 0xFFF) == 0) {
        parent.at("write", i, writes);
      }
    }
  }

  private void sample() {
    peak = Math.max(peak, Directories.bytes(directory, "*"));
    samples++;
    long before = store.stats().tableBytes();
    long tables = Directories.bytes(directory, "*.tbl");
    // A version that changed meanwhile says nothing about the files seen.
    if (store.stats().tableBytes() == before) {
      transientPeak = Math.max(transientPeak, tables - before);
    }
    for (Decision decision : store.decisions()) {
      if (decision.sequence() > lastDecision) {
        lastDecision = decision.sequence();
        decision.plan().ifPresent(plan -> runs = Math.max(runs, runs(decision, plan)));
      }
    }
  }

  /** Returns the number of runs that a merge reads, or 0 for a plan of another kind. */
  private static int runs(Decision decision, Plan plan) {
    if (!(plan instanceof Plan.Merge)) {
      return 0;
    }
    Set<Long> slices = Set.copyOf(plan.slices());
    return (int)
        decision.shape().levels().stream()
            .flatMap(level -> level.runs().stream())
            .filter(
                run ->
                    run.segments().stream()
                        .flatMap(segment -> segment.slices().stream())
                        .anyMatch(slice -> slices.contains(slice.slice())))
            .count();
  }

  private static double seconds(long start) {
    return (System.nanoTime() - start) / 1e9;
  }
}
