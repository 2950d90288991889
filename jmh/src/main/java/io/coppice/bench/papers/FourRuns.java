// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.bench.papers;

import io.coppice.Store;
import io.coppice.StoreOptions;
import io.coppice.bench.store.CoppiceStore;
import io.coppice.bench.suite.BenchExitCode;
import io.coppice.bench.suite.Directories;
import io.coppice.bench.suite.WrongAnswerException;
import io.coppice.simulator.keys.Permutation;
import io.coppice.workload.BenchmarkKeys;
import io.coppice.workload.Values;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Set;

/**
 * Store with four runs over the same key range, each key in one of them, and the merge of all four
 * into one.
 */
final class FourRuns {

  /** Cleaning threshold of the merge: output tables after which a step becomes durable. */
  static final int CLEANING = 10;

  private static final int RUNS = 4;
  private static final int VALUE_BYTES = 100;
  private static final int ENTRY_BYTES = BenchmarkKeys.BYTES + VALUE_BYTES;
  private static final int TABLES_OF_RUN = 12;

  private final Path directory;
  private final int entries;
  private final long tableBytes;
  private final Values values;
  private final long seed;

  FourRuns(Path directory, int entries, long seed) {
    this.directory = directory;
    this.entries = entries;
    this.seed = seed;
    tableBytes = Math.max(4 << 10, bytes(entries) / (RUNS * TABLES_OF_RUN));
    values = new Values(VALUE_BYTES, seed);
  }

  /** Returns the bytes of the keys and values of this many entries. */
  static long bytes(int entries) {
    return (long) entries * ENTRY_BYTES;
  }

  /** Returns the size of each table of the merge except the last. */
  long tableBytes() {
    return tableBytes;
  }

  /**
   * Opens the store, and creates it if it is missing. The caller closes it.
   *
   * @param direct whether lookups read from the device, without page cache or block cache
   */
  Store open(boolean direct) {
    long memtable = 2 * bytes(entries / RUNS) + (4 << 20);
    StoreOptions.Builder options =
        CoppiceStore.options(
            "tiered,trigger=64,table_size=" + tableBytes + ",cleaning_threshold=" + CLEANING,
            3 * memtable + (64 << 20),
            memtable);
    if (direct) {
      options.directReads(true).blockCacheBytes(0);
    }
    return Store.open(directory, options.build());
  }

  /**
   * Writes every key once.
   *
   * @param direct as in {@link #open}; it also determines the format of the tables
   * @return bytes of all tables, about those that the merge will write
   */
  long load(boolean direct) {
    Permutation order = new Permutation(entries, seed);
    byte[] key = new byte[BenchmarkKeys.BYTES];
    try (Store store = open(direct)) {
      for (int i = 0; i < entries; i++) {
        int index = order.of(i);
        BenchmarkKeys.write(key, index);
        store.put(key, value(index));
        if ((i + 1) % (entries / RUNS) == 0) {
          store.flush();
        }
      }
      store.flush();
      store.awaitIdle();
      return store.stats().tableBytes();
    }
  }

  private byte[] value(int index) {
    int from = values.position(index);
    return Arrays.copyOfRange(values.pool(), from, from + VALUE_BYTES);
  }

  /** Returns the paths of all table files of the store. */
  Set<Path> tables() {
    return Set.copyOf(Directories.files(directory, "*.tbl"));
  }

  /** Returns the bytes of the tables that are not in the given set. */
  long made(Set<Path> before) {
    return Directories.files(directory, "*.tbl").stream()
        .filter(table -> !before.contains(table))
        .mapToLong(Directories::size)
        .sum();
  }

  /**
   * Starts the merge of the four runs on a thread of its own. A failure of the merge ends the
   * process.
   */
  static Thread merge(Store store) {
    Thread merge = new Thread(store::compact, "merge");
    merge.setDaemon(true);
    merge.setUncaughtExceptionHandler(
        (thread, failure) -> {
          failure.printStackTrace();
          Runtime.getRuntime().halt(BenchExitCode.UNEXPECTED);
        });
    merge.start();
    return merge;
  }

  /**
   * Checks the value that a lookup found.
   *
   * @param found the value, or null
   * @throws WrongAnswerException if the key has another value or none
   */
  void check(int index, byte[] found) {
    if (!Arrays.equals(found, value(index))) {
      throw new WrongAnswerException("key " + index + " has another value or none");
    }
  }

  /**
   * Looks up all keys and checks their values.
   *
   * @throws WrongAnswerException if a key has another value or none
   */
  void check(Store store) {
    byte[] key = new byte[BenchmarkKeys.BYTES];
    for (int index = 0; index < entries; index++) {
      BenchmarkKeys.write(key, index);
      check(index, store.get(key));
    }
  }
}
