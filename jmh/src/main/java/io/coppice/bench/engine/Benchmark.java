// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.bench.engine;

import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/** A workload, named as in {@code db_bench}. */
enum Benchmark {
  /** Every key once, ascending, into an empty store. */
  FILLSEQ(Kind.FILL),
  /** So many writes of uniformly drawn keys, with replacement, into an empty store. */
  FILLRANDOM(Kind.FILL),
  /** The same onto what is there. */
  OVERWRITE(Kind.WRITE),
  /** Lookups of uniformly drawn keys; after fillrandom about 37 % of them are absent. */
  READRANDOM(Kind.READ),
  /** Lookups of keys that lie between those that are there. */
  READMISSING(Kind.READ),
  /** A new cursor, a seek to a uniformly drawn key, and ten steps. */
  SEEKRANDOM(Kind.READ),
  /** One cursor over everything. */
  READSEQ(Kind.READ),
  /** Everything merged as far as the store can. */
  COMPACT(Kind.WORK);

  /** What a workload does to a store. */
  private enum Kind {
    FILL,
    WRITE,
    READ,
    WORK
  }

  private final Kind kind;

  Benchmark(Kind kind) {
    this.kind = kind;
  }

  static Optional<Benchmark> find(String label) {
    return Arrays.stream(values()).filter(known -> known.label().equals(label)).findFirst();
  }

  static List<String> labels() {
    return Arrays.stream(values()).map(Benchmark::label).toList();
  }

  String label() {
    return name().toLowerCase(Locale.ROOT);
  }

  /** True if it begins with an empty store. */
  boolean fills() {
    return kind == Kind.FILL;
  }

  boolean writes() {
    return kind == Kind.FILL || kind == Kind.WRITE;
  }

  boolean reads() {
    return kind == Kind.READ;
  }
}
