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

  /** The stores that have a binding; the first is ours. */
  static final List<StoreSpec> STORES =
      List.of(
          StoreSpec.ours("split-forest"),
          StoreSpec.peer(StoreSpec.Kind.ROCKSDB),
          StoreSpec.peer(StoreSpec.Kind.MVSTORE));

  private static final double SECONDS_OF_PHASES = 8 * 1.2;
  private static final double MICROS_OF_RECORD = 8 * 12;

  /** There and back in turn; MVStore in the first round alone. */
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

  /** How long it will take on a machine of nominal speed. */
  public double seconds() {
    return SECONDS_OF_PHASES + records * MICROS_OF_RECORD / 1e6;
  }

  Class<?> binding() {
    return switch (store.kind()) {
      case COPPICE -> CoppiceBinding.class;
      case ROCKSDB -> RocksBinding.class;
      case MVSTORE -> MvStoreBinding.class;
      default -> throw new IllegalArgumentException("no binding for " + store.label());
    };
  }

  /** Says between runs what was measured. */
  String text() {
    return store.label() + " " + records + " " + threads + " " + memtableBytes;
  }
}
