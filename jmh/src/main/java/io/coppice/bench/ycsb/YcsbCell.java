// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.bench.ycsb;

import io.coppice.bench.engine.StoreSpec;
import java.util.ArrayList;
import java.util.List;

/**
 * One store, loaded and run through all workloads once.
 *
 * @param round from 1 on
 * @param memtableBytes of the stores that have one
 */
public record YcsbCell(StoreSpec store, int round, int records, int threads, long memtableBytes) {

  /** Stores with a binding; the first is Coppice. */
  static final List<StoreSpec> STORES =
      List.of(
          StoreSpec.ours("split-forest"),
          StoreSpec.peer(StoreSpec.Kind.ROCKSDB),
          StoreSpec.peer(StoreSpec.Kind.MVSTORE));

  /** Divisor of the records when the client compares values, which costs it more than the store. */
  static final int COMPARED_PART = 10;

  /** Processes of a comparing pass: a load and a run. */
  static final int COMPARING = 2;

  private static final double SECONDS_OF_PROCESS = 1.2;
  private static final double MICROS_OF_RECORD = 12;
  private static final int PROCESSES = 8;

  /**
   * Returns the cells of all rounds. Every second round takes the stores in reverse order, and only
   * the first round includes MVStore.
   */
  public static List<YcsbCell> of(int records, int rounds, int threads, long memtableBytes) {
    List<YcsbCell> cells = new ArrayList<>();
    for (int round = 1; round <= rounds; round++) {
      for (int i = 0; i < STORES.size(); i++) {
        StoreSpec store = STORES.get(round % 2 == 1 ? i : STORES.size() - 1 - i);
        if (round == 1 || store.kind() != StoreSpec.Kind.MVSTORE) {
          cells.add(new YcsbCell(store, round, records, threads, memtableBytes));
        }
      }
    }
    return cells;
  }

  /** Returns the expected seconds on a machine of nominal speed. */
  public double seconds() {
    double processes = PROCESSES + (isCompared() ? COMPARING : 0);
    double passes = PROCESSES + (isCompared() ? (double) COMPARING / COMPARED_PART : 0);
    return processes * SECONDS_OF_PROCESS + passes * records * MICROS_OF_RECORD / 1e6;
  }

  /**
   * Returns whether the client compares values before the timed operations. It does so once per
   * store, in the first round.
   */
  boolean isCompared() {
    return round == 1;
  }

  Class<?> binding() {
    return switch (store.kind()) {
      case COPPICE -> CoppiceBinding.class;
      case ROCKSDB -> RocksBinding.class;
      case MVSTORE -> MvStoreBinding.class;
      default -> throw new IllegalArgumentException("no binding for " + store.label());
    };
  }

  /** Returns the identity of the cell: store, records, threads and memtable bytes. */
  String text() {
    return store.label() + " " + records + " " + threads + " " + memtableBytes;
  }
}
