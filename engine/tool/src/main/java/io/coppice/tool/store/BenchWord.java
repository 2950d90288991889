// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.tool.store;

import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/** The benchmarks of {@code store bench}, named as in {@code db_bench}. */
enum BenchWord {
  /** Writes every key once, in ascending order, into an empty key space. */
  FILLSEQ,
  /** Writes uniformly drawn keys into an empty key space. */
  FILLRANDOM,
  /** Writes uniformly drawn keys into the key space as it is. */
  OVERWRITE,
  /** Deletes uniformly drawn keys. */
  DELETERANDOM,
  /** Looks up uniformly drawn keys. */
  READRANDOM,
  /** Looks up uniformly drawn keys while one more thread writes such keys. */
  READWHILEWRITING,
  /** Opens a new cursor and seeks a uniformly drawn key. */
  SEEKRANDOM,
  /** Scans from the smallest key with one cursor per thread. */
  READSEQ,
  /** Scans from the largest key with one cursor per thread. */
  READREVERSE,
  /** Merges everything into one run. */
  COMPACT,
  /** Flushes and waits until the policy wants no more plans. */
  WAITFORCOMPACTION,
  /** Prints the levels and the backlog of the policy. */
  STATS;

  /** Returns the benchmark with a label, if there is one. */
  static Optional<BenchWord> find(String label) {
    return Arrays.stream(values()).filter(known -> known.label().equals(label)).findFirst();
  }

  static List<String> labels() {
    return Arrays.stream(values()).map(BenchWord::label).toList();
  }

  String label() {
    return name().toLowerCase(Locale.ROOT);
  }

  /** Returns whether the benchmark begins with an empty key space and fills it. */
  boolean fills() {
    return this == FILLSEQ || this == FILLRANDOM;
  }

  /** Returns whether the benchmark is one operation on the whole key space. */
  boolean whole() {
    return this == COMPACT || this == WAITFORCOMPACTION;
  }

  /**
   * Returns whether {@link BenchLoad#reads} determines the operations of a thread, instead of
   * {@link BenchLoad#keys}.
   */
  boolean reads() {
    return this == READRANDOM
        || this == READWHILEWRITING
        || this == SEEKRANDOM
        || this == READSEQ
        || this == READREVERSE;
  }
}
