// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.bench.ycsb;

import io.coppice.bench.store.StoreSpec;
import java.util.ArrayList;
import java.util.List;

/**
 * One measurement by YCSB: a store is loaded and runs through all workloads once.
 *
 * @param round number of the round, from 1
 * @param records number of records
 * @param threads number of client threads
 * @param memtableBytes memtable size of the stores that have memtables
 */
public record YcsbCell(StoreSpec store, int round, int records, int threads, long memtableBytes) {

  /** Stores that have a binding; the first is Coppice. */
  static final List<StoreSpec> STORES =
      List.of(
          StoreSpec.ours("split-forest"),
          StoreSpec.peer(StoreSpec.Kind.ROCKSDB),
          StoreSpec.peer(StoreSpec.Kind.MVSTORE));

  /**
   * Divisor of the number of records when the client compares values, which costs it more time than
   * the store.
   */
  static final int COMPARED_PART = 10;

  /** Number of processes in a pass that compares values: one loads, one runs a workload. */
  static final int COMPARING = 2;

  private static final double SECONDS_OF_PROCESS = 1.2;
  private static final double MICROS_OF_RECORD = 12;
  private static final int PROCESSES = 8;

  /**
   * Returns the measurements of all rounds. Every second round takes the stores in reverse order,
   * and only the first round includes MVStore.
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
   * Returns whether a pass that compares values precedes the timed operations. There is one for
   * each store, in the first round.
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

  /**
   * Returns the text that identifies the measurement: store, records, threads and memtable bytes.
   */
  String text() {
    return store.label() + " " + records + " " + threads + " " + memtableBytes;
  }
}
