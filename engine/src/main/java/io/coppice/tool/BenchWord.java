// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.tool;

import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/** What {@code store bench} can do, named as in {@code db_bench}. */
enum BenchWord {
  /** Every key once, ascending; begins with an empty key space. */
  FILLSEQ,
  /** So many writes of uniformly drawn keys; begins with an empty key space. */
  FILLRANDOM,
  /** The same onto what is there. */
  OVERWRITE,
  /** Deletes uniformly drawn keys. */
  DELETERANDOM,
  /** Looks uniformly drawn keys up. */
  READRANDOM,
  /** The same while one more thread writes uniformly drawn keys. */
  READWHILEWRITING,
  /** A new cursor, and a seek to a uniformly drawn key. */
  SEEKRANDOM,
  /** One cursor a thread from the smallest key on. */
  READSEQ,
  /** One cursor a thread from the largest key on. */
  READREVERSE,
  /** Merges everything into one run. */
  COMPACT,
  /** Flushes, and waits until the policy wants nothing more. */
  WAITFORCOMPACTION,
  /** Prints levels and what the policy wants. */
  STATS;

  static Optional<BenchWord> find(String label) {
    return Arrays.stream(values()).filter(known -> known.label().equals(label)).findFirst();
  }

  static List<String> labels() {
    return Arrays.stream(values()).map(BenchWord::label).toList();
  }

  String label() {
    return name().toLowerCase(Locale.ROOT);
  }

  /** True if it begins with an empty key space. */
  boolean fills() {
    return this == FILLSEQ || this == FILLRANDOM;
  }

  /** True if it is one operation of the whole key space. */
  boolean whole() {
    return this == COMPACT || this == WAITFORCOMPACTION;
  }

  /** True if each thread does as many operations as are to be read, not written. */
  boolean reads() {
    return this == READRANDOM
        || this == READWHILEWRITING
        || this == SEEKRANDOM
        || this == READSEQ
        || this == READREVERSE;
  }
}
