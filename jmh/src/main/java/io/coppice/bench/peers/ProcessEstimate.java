// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.bench.peers;

import io.coppice.bench.engine.StoreProcess;
import io.coppice.bench.store.BenchOptions;
import io.coppice.bench.store.Benchmark;
import io.coppice.bench.store.StoreSpec;
import io.coppice.workload.BenchmarkKeys;

/**
 * Estimate of the duration of a process, from rough rates of each store on a machine with a nominal
 * {@link Probe}. It serves for planning; no reported figure depends on it.
 */
public final class ProcessEstimate {

  /** Seconds to start a JVM and its library and to warm up. */
  private static final double START_SECONDS = 2;

  private static final double COMMIT_MICROS = 60;
  private static final double SYNC_MICROS = 1_500;

  /**
   * Microseconds per write in ascending order or in batches; the next two constants are those of
   * RocksDB and of other stores.
   */
  private static final double EASY_OURS_MICROS = 2;

  private static final double EASY_ROCKSDB_MICROS = 4;
  private static final double EASY_MICROS = 5;

  private static final double READ_MICROS = 3;
  private static final double SCAN_MICROS = 0.6;

  /** Microseconds to flush or merge an entry once. */
  private static final double MERGE_MICROS = 0.6;

  /**
   * Microseconds that a flush takes: about six syncs of a third of a millisecond each, and some
   * work.
   */
  private static final double FLUSH_MICROS = 2_500;

  /**
   * Microseconds per table that one merge writes and another removes: it is created, synced, opened
   * and deleted.
   */
  private static final double TABLE_MICROS = 1_500;

  /** Memtable bytes per byte of an entry. */
  private static final double MEMTABLE_OVERHEAD = 1.25;

  private ProcessEstimate() {}

  /** Returns the expected seconds of one process for one store. */
  public static double seconds(StoreSpec store, BenchOptions options) {
    return START_SECONDS + work(store, options);
  }

  /**
   * Returns the expected seconds of one process, with the writes of its warm-up, which matter if
   * memtables are small.
   */
  public static double secondsWithWarmUp(StoreSpec store, BenchOptions options) {
    return seconds(store, options) + work(store, StoreProcess.warmUp(store, options));
  }

  private static double work(StoreSpec store, BenchOptions options) {
    double seconds = 0;
    for (Benchmark benchmark : options.benchmarks()) {
      seconds += seconds(store, benchmark, options);
    }
    return seconds;
  }

  private static double seconds(StoreSpec store, Benchmark benchmark, BenchOptions options) {
    double micros =
        switch (benchmark) {
          case FILLRANDOM, FILLUNIQUERANDOM, OVERWRITE, WRITEOPENLOOP ->
              writeMicros(store, options, options.entries());
          case FILLSEQ, FILLBATCH -> easyMicros(store);
          case FILLSYNC -> SYNC_MICROS / 1000;
          case DELETERANDOM -> writeMicros(store, options, options.entries()) / 2;
          case DELETEUNIQUERANDOM ->
              writeMicros(store, options, options.entries())
                  * options.traffic().deletePercent()
                  / 100;
          case COMPACT, SWITCHPOLICY -> MERGE_MICROS;
          case READSEQ, READREVERSE -> SCAN_MICROS;
          case READRANDOM,
              READMISSING,
              READHOT,
              SEEKRANDOM,
              READWHILEWRITING,
              READRANDOMWRITERANDOM -> {
            if (options.traffic().readSeconds() > 0) {
              yield options.traffic().readSeconds() * 1e6 / options.entries();
            }
            double reading = READ_MICROS * options.reads();
            if (benchmark == Benchmark.READRANDOMWRITERANDOM) {
              double reads = options.traffic().readPercent() / 100.0;
              double writes = (1 - reads) * options.reads();
              reading =
                  reads * reading
                      + writes * writeMicros(store, options, options.entries() + writes);
            }
            yield reading / options.entries();
          }
        };
    return micros * options.entries() / 1e6;
  }

  private static double easyMicros(StoreSpec store) {
    return switch (store.kind()) {
      case COPPICE -> EASY_OURS_MICROS;
      case ROCKSDB, ROCKSDB_UNIVERSAL -> EASY_ROCKSDB_MICROS;
      default -> EASY_MICROS;
    };
  }

  /**
   * Returns the microseconds per write.
   *
   * @param written number of writes
   */
  private static double writeMicros(StoreSpec store, BenchOptions options, double written) {
    double bytes = written * (BenchmarkKeys.BYTES + options.valueBytes());
    double flushes = Math.max(1, MEMTABLE_OVERHEAD * bytes / options.memtableBytes());
    double flushMicros = flushes * FLUSH_MICROS / written;
    double rewrites = rewrites(store, flushes);
    double tables = rewrites * (BenchmarkKeys.BYTES + options.valueBytes()) / tableBytes(options);
    double merged = MERGE_MICROS * rewrites + flushMicros + TABLE_MICROS * tables;
    double own =
        switch (store.kind()) {
          // Merges run beside the writer.
          case COPPICE -> Math.max(2, merged);
          case ROCKSDB, ROCKSDB_UNIVERSAL -> Math.max(4, merged);
          case LMDB -> 12;
          case LEVELDB -> 15;
          case XODUS -> 30;
          case MVSTORE -> COMMIT_MICROS;
          case MAPDB -> SYNC_MICROS;
        };
    double synced = options.form().sync() ? SYNC_MICROS : 0;
    double limit = options.traffic().writeBytesPerSecond();
    double paced = limit == 0 ? 0 : 1e6 * (BenchmarkKeys.BYTES + options.valueBytes()) / limit;
    return Math.max(own + synced, paced);
  }

  private static double tableBytes(BenchOptions options) {
    long given = options.form().tableBytes();
    return given > 0 ? given : options.memtableBytes();
  }

  /**
   * Returns the expected number of times that merges rewrite an entry. At full speed level 0 grows
   * and more is merged at once than the closed formulas predict. RocksDB rewrites 5.7 times after
   * 285 flushes, leveled compaction 7.1 times after 687 and 11.4 times after 2,974.
   */
  private static double rewrites(StoreSpec store, double flushes) {
    double logarithm = Math.log10(Math.max(1, flushes));
    if (store.kind() == StoreSpec.Kind.ROCKSDB) {
      return 1 + 1.5 * logarithm;
    }
    return store.policy().startsWith("leveled")
        ? Math.max(2, 6.5 * logarithm - 12.4)
        : 1.7 * logarithm;
  }
}
