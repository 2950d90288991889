// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.bench.read;

import java.util.List;
import java.util.Locale;

/**
 * One operation on Coppice and on RocksDB, in separate processes, with all data in memory.
 *
 * @param stores stores that run it
 */
record PeerCell(ReadOperation operation, int clients, List<Dataset> stores) {

  /** Prefix of every id. */
  static final String PREFIX = "peer_";

  static final List<PeerCell> ALL =
      List.of(
          new PeerCell(ReadOperation.HIT, 1, List.of(Dataset.FOREST, Dataset.ROCKSDB)),
          new PeerCell(ReadOperation.HIT, 4, List.of(Dataset.FOREST, Dataset.ROCKSDB)),
          new PeerCell(ReadOperation.MISS, 1, List.of(Dataset.FOREST, Dataset.ROCKSDB)),
          new PeerCell(
              ReadOperation.SEEK50, 1, List.of(Dataset.FOREST, Dataset.LEVELED, Dataset.ROCKSDB)),
          new PeerCell(
              ReadOperation.PREV50, 1, List.of(Dataset.FOREST, Dataset.LEVELED, Dataset.ROCKSDB)));

  /** Names it between the processes. */
  String id() {
    return id(operation, clients);
  }

  static String id(ReadOperation operation, int clients) {
    return PREFIX + operation.name().toLowerCase(Locale.ROOT) + "_" + clients;
  }

  static PeerCell named(String id) {
    return ALL.stream().filter(cell -> cell.id().equals(id)).findFirst().orElseThrow();
  }
}
