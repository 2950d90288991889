// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.bench.read;

import io.coppice.workload.Keys;
import java.nio.file.Path;
import java.util.Locale;

/** A loaded store that rows read. */
enum Dataset {
  /** Ours with as many runs as {@link ReadScale#RUNS}, each over all keys; never merged. */
  RUNS,
  /** Ours with entries of 100 bytes. */
  SHORT,
  /** Ours with the default policy. */
  FOREST,
  /** Ours, leveled. */
  LEVELED,
  ROCKSDB;

  String label() {
    return name().toLowerCase(Locale.ROOT);
  }

  Path directory(Path data) {
    return data.resolve(label());
  }

  int keys(ReadScale scale) {
    return this == RUNS ? scale.runKeys() : scale.hotKeys();
  }

  /** Keys and values. */
  long bytes(ReadScale scale) {
    return (long) keys(scale) * (Keys.BYTES + valueBytes());
  }

  int valueBytes() {
    return switch (this) {
      case RUNS -> ReadScale.RUN_VALUE_BYTES;
      case SHORT -> ReadScale.SHORT_VALUE_BYTES;
      default -> ReadScale.HOT_VALUE_BYTES;
    };
  }

  /** Of ours; the peer's has no meaning. */
  String policy(ReadScale scale) {
    return switch (this) {
      case RUNS -> scale.runsPolicy();
      case LEVELED -> "leveled";
      default -> "split-forest";
    };
  }
}
