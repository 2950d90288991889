// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.bench.peers;

import io.coppice.bench.report.DataTable;
import io.coppice.bench.store.StoreSpec;
import java.util.Map;
import java.util.stream.Collectors;

/** Stores that the suites measure. */
public final class Stores {

  private record Line(String name, StoreSpec.Kind kind, String policy) {
    private StoreSpec store() {
      return kind == StoreSpec.Kind.COPPICE ? StoreSpec.ours(policy) : StoreSpec.peer(kind);
    }
  }

  /** Stores by the names that the tables of loads and rows use. */
  static final Map<String, StoreSpec> NAMED =
      DataTable.rows(Line.class, "stores.txt").stream()
          .collect(Collectors.toMap(Line::name, Line::store));

  /** Coppice with its default policy. */
  public static final StoreSpec FOREST = NAMED.get("forest");

  public static final StoreSpec LEVELED = NAMED.get("leveled");
  public static final StoreSpec ROCKSDB = NAMED.get("rocksdb");
  public static final StoreSpec UNIVERSAL = NAMED.get("universal");

  private Stores() {}
}
