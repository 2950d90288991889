// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.bench.store;

import io.coppice.bench.report.LabeledConstant;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/** A workload on a store, named as in {@code db_bench}. */
public enum Benchmark implements LabeledConstant {
  /** Every key once, ascending, into an empty store. */
  FILLSEQ(Kind.FILL),
  /** Writes keys drawn with replacement into an empty store. */
  FILLRANDOM(Kind.FILL),
  /** Every key once, in random order, into an empty store. */
  FILLUNIQUERANDOM(Kind.FILL),
  /** A thousandth of the writes, each synced before the next. */
  FILLSYNC(Kind.FILL),
  /**
   * Writes batches of a thousand drawn keys each into an empty store, otherwise like {@link
   * #FILLRANDOM}.
   */
  FILLBATCH(Kind.FILL),
  /** Overwrites randomly drawn keys. */
  OVERWRITE(Kind.WRITE),
  /**
   * Writes at a fixed rate, otherwise like {@link #FILLRANDOM}; the latency of a write counts from
   * its due time.
   */
  WRITEOPENLOOP(Kind.FILL),
  /** Deletes drawn keys, half as many as there are entries. */
  DELETERANDOM(Kind.WRITE),
  /** Deletes a share of the keys, each once, in random order. */
  DELETEUNIQUERANDOM(Kind.WRITE),
  /** Lookups of drawn keys; after fillrandom about 37 % of them are absent. */
  READRANDOM(Kind.READ),
  /** Lookups of absent keys between the present ones. */
  READMISSING(Kind.READ),
  /** Lookups of drawn keys among a hundredth of all keys. */
  READHOT(Kind.READ),
  /** Seeks to drawn keys, each with a new cursor and some steps. */
  SEEKRANDOM(Kind.READ),
  /** One forward scan over all entries. */
  READSEQ(Kind.READ),
  /** One backward scan over all entries. */
  READREVERSE(Kind.READ),
  /** Lookups while one thread overwrites at a limited rate. */
  READWHILEWRITING(Kind.MIX),
  /** Lookups and overwrites drawn by one thread. */
  READRANDOMWRITERANDOM(Kind.MIX),
  /** A switch to another policy, with all merges that it then wants. */
  SWITCHPOLICY(Kind.WORK),
  /** A major compaction, or the nearest operation that the store has. */
  COMPACT(Kind.WORK);

  /** Effect of a workload on a store. */
  private enum Kind {
    FILL,
    WRITE,
    READ,
    MIX,
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

  /** Returns whether the workload begins with an empty store. */
  public boolean fills() {
    return kind == Kind.FILL;
  }

  /** Returns whether the workload only writes. */
  public boolean writes() {
    return kind == Kind.FILL || kind == Kind.WRITE;
  }

  public boolean deletes() {
    return this == DELETERANDOM || this == DELETEUNIQUERANDOM;
  }

  /** Returns whether the workload may overwrite or delete a key, which creates garbage. */
  boolean leavesGarbage() {
    return (writes() || mixes()) && this != FILLSEQ && this != FILLUNIQUERANDOM;
  }

  boolean reads() {
    return kind == Kind.READ;
  }

  public boolean mixes() {
    return kind == Kind.MIX;
  }

  /** Returns the kind of figures that a report shows. */
  public String figures() {
    return switch (this) {
      case READSEQ, READREVERSE -> "scans";
      default ->
          switch (kind) {
            case FILL, WRITE -> "writes";
            case READ -> "reads";
            case MIX -> "mixes";
            case WORK -> "work";
          };
    };
  }
}
