// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.bench.engine;

import io.coppice.Store;
import io.coppice.StoreOptions;
import io.coppice.StoreStats;
import io.coppice.base.Durability;
import io.coppice.base.MemoryBudget;
import io.coppice.policy.Decision;
import io.coppice.policy.LevelFacts;
import io.coppice.policy.Plan;
import io.coppice.policy.PolicySpec;
import io.coppice.policy.RunFacts;
import io.coppice.simulator.Permutation;
import io.coppice.workload.Draws;
import io.coppice.workload.Keys;
import io.coppice.workload.Values;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;

/**
 * The process in which the space of one store is watched under one load. Tells its parent by lines:
 * {@code at} with what is done and the total, {@code result} with figures.
 */
public final class SpaceProcess {

  private static final long SAMPLE_MILLIS = 100;
  private static final int MERGE_SLOTS = 1;
  private static final long CACHE_BYTES = 512L << 20;
  private static final int OVERWRITES = 3;

  private final Path directory;
  private final Store store;
  private final int mergeStep;
  private final long tableBytes;

  // Written by the sampling thread, read once it has ended.
  private long peak;
  private long transientPeak;
  private int samples;
  private int runs;
  private long lastDecision;

  private SpaceProcess(Path directory, String policy, int cleaningThreshold, long memtableBytes) {
    this.directory = directory;
    mergeStep = cleaningThreshold;
    String whole = policy + ",cleaning_threshold=" + cleaningThreshold;
    tableBytes = PolicySpec.parse(whole).tableBytes();
    store =
        Store.open(
            directory,
            StoreOptions.builder()
                .policy(whole)
                .memory(
                    MemoryBudget.ofMebibytes(
                        (BenchOptions.MEMTABLES * memtableBytes + CACHE_BYTES) >> 20))
                .memtableBytes(memtableBytes)
                .mergeSlots(MERGE_SLOTS)
                .durability(Durability.BUFFERED)
                .build());
  }

  /**
   * Arguments: directory, load, entries, bytes of a value, of a memtable, policy, seed, cleaning
   * threshold.
   */
  public static void main(String[] args) throws Exception {
    SpaceProcess process =
        new SpaceProcess(
            Path.of(args[0]), args[5], Integer.parseInt(args[7]), Long.parseLong(args[4]));
    try (process.store) {
      Space found =
          process.run(
              SpaceLoad.valueOf(args[1]),
              Integer.parseInt(args[2]),
              Integer.parseInt(args[3]),
              Long.parseLong(args[6]));
      System.out.println("result " + found.text());
    }
  }

  private Space run(SpaceLoad load, int entries, int valueBytes, long seed) throws Exception {
    ScheduledExecutorService sampler = Executors.newSingleThreadScheduledExecutor();
    sampler.scheduleAtFixedRate(this::sample, 0, SAMPLE_MILLIS, TimeUnit.MILLISECONDS);
    long start = System.nanoTime();
    write(load, entries, new Values(valueBytes, seed), seed);
    final double writeSeconds = seconds(start);
    store.flush();
    store.awaitIdle();
    final double settledSeconds = seconds(start);
    sampler.shutdown();
    if (!sampler.awaitTermination(1, TimeUnit.MINUTES)) {
      throw new IllegalStateException("sampling does not end");
    }
    sample();
    StoreStats before = store.stats();
    final long live = bytes("");
    long compacting = System.nanoTime();
    store.compact();
    double compactSeconds = seconds(compacting);
    long read = store.stats().mergeReadBytes() - before.mergeReadBytes();
    long bound = mergeStep == 0 ? 0 : MERGE_SLOTS * (mergeStep + runs) * tableBytes;
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

  private void write(SpaceLoad load, int entries, Values values, long seed) {
    Permutation once = new Permutation(entries, seed);
    Draws any = new Draws(seed, entries);
    long writes = load == SpaceLoad.PERMUTATION ? entries : (long) OVERWRITES * entries;
    byte[] key = new byte[Keys.BYTES];
    byte[] value = new byte[values.length()];
    long said = System.nanoTime();
    for (long i = 0; i < writes; i++) {
      Keys.write(key, load == SpaceLoad.PERMUTATION ? once.of((int) i) : any.next());
      System.arraycopy(values.pool(), values.position(i), value, 0, value.length);
      store.put(key, value);
      if ((i & 0xFFF) == 0 && System.nanoTime() - said > 500_000_000L) {
        said = System.nanoTime();
        System.out.println("at " + i + " " + writes);
      }
    }
  }

  private void sample() {
    peak = Math.max(peak, bytes(""));
    samples++;
    long before = store.stats().tableBytes();
    long tables = bytes(".tbl");
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

  /** From how many runs a merge reads. */
  private static int runs(Decision decision, Plan plan) {
    if (!(plan instanceof Plan.Merge)) {
      return 0;
    }
    Set<Long> slices = new HashSet<>(plan.slices());
    int runs = 0;
    for (LevelFacts level : decision.shape().levels()) {
      for (RunFacts run : level.runs()) {
        boolean read =
            run.segments().stream()
                .flatMap(segment -> segment.slices().stream())
                .anyMatch(slice -> slices.contains(slice.slice()));
        runs += read ? 1 : 0;
      }
    }
    return runs;
  }

  private long bytes(String ending) {
    long bytes = 0;
    try (DirectoryStream<Path> files = Files.newDirectoryStream(directory)) {
      for (Path file : files) {
        if (file.toString().endsWith(ending)) {
          bytes += DiskFiles.size(file);
        }
      }
    } catch (IOException e) {
      throw new UncheckedIOException("cannot measure " + directory, e);
    }
    return bytes;
  }

  private static double seconds(long start) {
    return (System.nanoTime() - start) / 1e9;
  }
}
