// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.bench.read;

import io.coppice.workload.BenchmarkKeys;
import java.nio.file.Path;
import java.util.Locale;

/** A store with data that the suite loads once and its rows read. */
enum Dataset {
  /** Store of Coppice with {@link ReadScale#RUNS} runs, each over all keys, never merged. */
  RUNS,
  /** Store of Coppice with entries of 100 bytes. */
  SHORT,
  /** Store of Coppice with the default policy. */
  FOREST,
  /** Store of Coppice with leveled compaction. */
  LEVELED,
  ROCKSDB,
  /** Store of Coppice with the default policy, read in a memory group, as are the next ones. */
  GROUPED_FOREST,
  GROUPED_LEVELED,
  GROUPED_ROCKSDB,
  GROUPED_UNIVERSAL;

  /** Filter bits per key of the stores that this suite configures. */
  static final int FILTER_BITS = 10;

  String label() {
    return name().toLowerCase(Locale.ROOT);
  }

  /** Returns whether the data set is read in a memory group. */
  boolean grouped() {
    return compareTo(GROUPED_FOREST) >= 0;
  }

  Path directory(Path data) {
    return data.resolve(label());
  }

  int keys(ReadScale scale) {
    return grouped() ? scale.groupedKeys() : this == RUNS ? scale.runKeys() : scale.hotKeys();
  }

  /** Returns the bytes of all keys and values. */
  long bytes(ReadScale scale) {
    return (long) keys(scale) * (BenchmarkKeys.BYTES + valueBytes());
  }

  int valueBytes() {
    return switch (this) {
      case RUNS, GROUPED_FOREST, GROUPED_LEVELED, GROUPED_ROCKSDB, GROUPED_UNIVERSAL ->
          ReadScale.RUN_VALUE_BYTES;
      case SHORT -> ReadScale.SHORT_VALUE_BYTES;
      default -> ReadScale.HOT_VALUE_BYTES;
    };
  }

  /** Returns the policy of a Coppice store; without meaning for RocksDB. */
  String policy(ReadScale scale) {
    return switch (this) {
      case RUNS -> scale.runsPolicy();
      case LEVELED, GROUPED_LEVELED -> "leveled";
      default -> "split-forest";
    };
  }
}
