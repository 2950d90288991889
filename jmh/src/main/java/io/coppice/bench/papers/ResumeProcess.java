// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.bench.papers;

import io.coppice.Store;
import io.coppice.StoreOptions;
import io.coppice.base.Durability;
import io.coppice.base.MemoryBudget;
import io.coppice.bench.ExitCode;
import io.coppice.bench.suite.WrongAnswerException;
import io.coppice.simulator.Permutation;
import io.coppice.workload.Keys;
import io.coppice.workload.Latencies;
import io.coppice.workload.Values;
import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Random;
import java.util.concurrent.TimeUnit;

/**
 * A process that loads four runs, or merges them and is killed meanwhile, or resumes such a merge
 * and tells how many tables it wrote again, or pauses it. What it tells is its last line.
 */
public final class ResumeProcess {

  /** What a process does. */
  enum Step {
    LOAD,
    KILL,
    RESUME,
    PAUSE
  }

  /** Tables after which the merge cleans. */
  static final int CLEANING = 10;

  /** What a process ends with that killed itself, and nothing else does. */
  static final int KILLED = 137;

  /** The file, beside the store, that says how many bytes of tables such a process has made. */
  static final String MADE = "made";

  private static final int RUNS = 4;
  private static final int VALUE_BYTES = 100;
  private static final int TABLES_OF_RUN = 12;
  private static final int MOST_ENTRIES = 400_000;
  private static final double SHARE_BEFORE_PAUSE = 0.3;
  private static final int PAUSED_READS = 20_000;
  private static final String TOTAL = "written";

  private final Path directory;
  private final int entries;
  private final long tableBytes;
  private final Values values;
  private final long seed;

  private ResumeProcess(Path directory, int entries, long seed) {
    this.directory = directory;
    this.entries = Math.min(entries, MOST_ENTRIES);
    this.seed = seed;
    long all = (long) this.entries * (Keys.BYTES + VALUE_BYTES);
    tableBytes = Math.max(4 << 10, all / (RUNS * TABLES_OF_RUN));
    values = new Values(VALUE_BYTES, seed);
  }

  /** Of its keys and values, at any scale. */
  static long mostBytes() {
    return MOST_ENTRIES * (long) (Keys.BYTES + VALUE_BYTES);
  }

  /** Arguments: step, directory, entries, seed, share of the merge. */
  public static void main(String[] args) throws Exception {
    ResumeProcess process =
        new ResumeProcess(Path.of(args[1]), Integer.parseInt(args[2]), Long.parseLong(args[3]));
    switch (Step.valueOf(args[0])) {
      case LOAD -> process.load();
      case KILL -> process.kill(Double.parseDouble(args[4]));
      case RESUME -> process.resume();
      case PAUSE -> process.pause();
    }
  }

  private Store open() {
    long memtable = 2 * entries / RUNS * (long) (Keys.BYTES + VALUE_BYTES) + (4 << 20);
    return Store.open(
        directory,
        StoreOptions.builder()
            .policy(
                "tiered,trigger=64,table_size=" + tableBytes + ",cleaning_threshold=" + CLEANING)
            .memory(MemoryBudget.ofMebibytes((3 * memtable >> 20) + 64))
            .memtableBytes(memtable)
            .durability(Durability.BUFFERED)
            .build());
  }

  /** Every key once, in four runs over one range; the size of all tables is left in a file. */
  private void load() throws IOException {
    Permutation order = new Permutation(entries, seed);
    byte[] key = new byte[Keys.BYTES];
    try (Store store = open()) {
      for (int i = 0; i < entries; i++) {
        int index = order.of(i);
        Keys.write(key, index);
        store.put(key, value(index));
        if ((i + 1) % (entries / RUNS) == 0) {
          store.flush();
        }
      }
      store.flush();
      store.awaitIdle();
      Files.writeString(directory.resolveSibling(TOTAL), Long.toString(store.stats().tableBytes()));
    }
  }

  private byte[] value(int index) {
    int from = values.position(index);
    return Arrays.copyOfRange(values.pool(), from, from + VALUE_BYTES);
  }

  private long total() throws IOException {
    return Long.parseLong(Files.readString(directory.resolveSibling(TOTAL)));
  }

  /** Bytes of tables that are not among those of the load. */
  private long made(java.util.Set<String> before) throws IOException {
    long bytes = 0;
    try (DirectoryStream<Path> files = Files.newDirectoryStream(directory, "*.tbl")) {
      for (Path file : files) {
        if (!before.contains(file.getFileName().toString())) {
          try {
            bytes += Files.size(file);
          } catch (NoSuchFileException gone) {
            continue;
          }
        }
      }
    }
    return bytes;
  }

  private java.util.Set<String> tables() throws IOException {
    java.util.Set<String> names = new java.util.HashSet<>();
    try (DirectoryStream<Path> files = Files.newDirectoryStream(directory, "*.tbl")) {
      files.forEach(file -> names.add(file.getFileName().toString()));
    }
    return names;
  }

  /** Dies, without any cleaning up, once so much of the merge is written. */
  private void kill(double share) throws Exception {
    java.util.Set<String> before = tables();
    long wanted = (long) (share * total());
    Store store = open();
    Thread merge = new Thread(() -> compact(store), "merge");
    merge.setDaemon(true);
    merge.setUncaughtExceptionHandler(
        (thread, failure) -> {
          failure.printStackTrace();
          Runtime.getRuntime().halt(ExitCode.UNEXPECTED);
        });
    merge.start();
    while (merge.isAlive() && made(before) < wanted) {
      Thread.onSpinWait();
    }
    Files.writeString(directory.resolveSibling(MADE), Long.toString(made(before)));
    Runtime.getRuntime().halt(KILLED);
  }

  private static void compact(Store store) {
    try {
      store.compact();
    } catch (io.coppice.base.StoreException e) {
      throw new IllegalStateException("the merge failed", e);
    }
  }

  /** Tables that were made before the end and have to be made again. */
  private void resume() throws Exception {
    try (Store store = open()) {
      compact(store);
      store.awaitIdle();
      long made = Long.parseLong(Files.readString(directory.resolveSibling(MADE)));
      long again = made + store.stats().mergedBytes() - total();
      check(store);
      System.out.println(Math.max(0, (double) again / tableBytes));
    }
  }

  private void check(Store store) {
    byte[] key = new byte[Keys.BYTES];
    for (int index = 0; index < entries; index++) {
      Keys.write(key, index);
      if (!Arrays.equals(store.get(key), value(index))) {
        throw new WrongAnswerException("key " + index + " has another value or none");
      }
    }
  }

  private void pause() throws Exception {
    java.util.Set<String> before = tables();
    try (Store store = open()) {
      read(store, PAUSED_READS);
      Thread merge = new Thread(() -> compact(store), "merge");
      merge.start();
      Latencies merging = new Latencies();
      while (merge.isAlive() && made(before) < SHARE_BEFORE_PAUSE * total()) {
        merging.add(read(store, PAUSED_READS / 100));
      }
      store.pauseCompaction();
      TimeUnit.MILLISECONDS.sleep(50);
      Latencies paused = read(store, PAUSED_READS);
      store.resumeCompaction();
      while (merge.isAlive()) {
        merging.add(read(store, PAUSED_READS / 100));
      }
      merge.join();
      store.awaitIdle();
      double extra = (double) (store.stats().mergedBytes() - total()) / tableBytes;
      check(store);
      System.out.println(
          merging.nanosAt(0.99) / 1e3 + " " + paused.nanosAt(0.99) / 1e3 + " " + extra);
    }
  }

  private Latencies read(Store store, int reads) {
    Latencies latencies = new Latencies();
    Random random = new Random(seed + reads);
    byte[] key = new byte[Keys.BYTES];
    for (int i = 0; i < reads; i++) {
      Keys.write(key, random.nextInt(entries));
      long start = System.nanoTime();
      byte[] value = store.get(key);
      latencies.record(System.nanoTime() - start);
      if (value == null) {
        throw new WrongAnswerException("a key is not there during a merge");
      }
    }
    return latencies;
  }
}
