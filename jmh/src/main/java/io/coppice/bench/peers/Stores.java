// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.bench.peers;

import io.coppice.bench.engine.StoreSpec;
import java.util.List;

/** The stores that the suites name. */
public final class Stores {

  /** Ours, as its default policy has it. */
  public static final StoreSpec FOREST = StoreSpec.ours("split-forest");

  /** Without early cleaning. */
  public static final StoreSpec FOREST_UNCLEANED =
      StoreSpec.ours("split-forest,cleaning_threshold=0");

  public static final StoreSpec LEVELED = StoreSpec.ours("leveled,fanout=10");
  public static final StoreSpec DELAYED = StoreSpec.ours("delayed,fanout=10,vct=12");
  public static final StoreSpec GROUPED = StoreSpec.ours("grouped,groups=4");
  public static final StoreSpec LAZY = StoreSpec.ours("lazy-binomial,k=8,x=0.5");
  public static final StoreSpec ROCKSDB = StoreSpec.peer(StoreSpec.Kind.ROCKSDB);
  public static final StoreSpec UNIVERSAL = StoreSpec.peer(StoreSpec.Kind.ROCKSDB_UNIVERSAL);
  public static final StoreSpec LMDB = StoreSpec.peer(StoreSpec.Kind.LMDB);
  public static final StoreSpec MVSTORE = StoreSpec.peer(StoreSpec.Kind.MVSTORE);
  public static final StoreSpec XODUS = StoreSpec.peer(StoreSpec.Kind.XODUS);
  public static final StoreSpec LEVELDB = StoreSpec.peer(StoreSpec.Kind.LEVELDB);
  public static final StoreSpec MAPDB = StoreSpec.peer(StoreSpec.Kind.MAPDB);

  /** The peers beside RocksDB that survive the process without a commit or sync of each write. */
  static final List<StoreSpec> TREES = List.of(LMDB, XODUS, LEVELDB);

  private Stores() {}
}
