// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.bench.read;

import io.coppice.workload.BenchmarkKeys;
import java.nio.file.Path;
import java.util.Locale;

/** A loaded store that rows read. */
enum Dataset {
  /** Coppice with {@link ReadScale#RUNS} runs, each over all keys, never merged. */
  RUNS,
  /** Coppice with entries of 100 bytes. */
  SHORT,
  /** Coppice with the default policy. */
  FOREST,
  /** Coppice with leveled compaction. */
  LEVELED,
  ROCKSDB,
  /** Data sets read in a memory group; Coppice with the default policy. */
  GROUPED_FOREST,
  GROUPED_LEVELED,
  GROUPED_ROCKSDB,
  GROUPED_UNIVERSAL;

  /** Filter bits per key of the stores that this suite configures. */
  static final int FILTER_BITS = 10;

  String label() {
    return name().toLowerCase(Locale.ROOT);
  }

  /** Returns whether it is read in a memory group. */
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

  /** Returns the policy of Coppice; meaningless for the peer. */
  String policy(ReadScale scale) {
    return switch (this) {
      case RUNS -> scale.runsPolicy();
      case LEVELED, GROUPED_LEVELED -> "leveled";
      default -> "split-forest";
    };
  }
}
