// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.bench.peers;

import io.coppice.bench.engine.StoreSpec;
import java.util.Map;

/** Stores that the suites measure. */
public final class Stores {

  /** Coppice with its default policy. */
  public static final StoreSpec FOREST = StoreSpec.ours("split-forest");

  public static final StoreSpec LEVELED = StoreSpec.ours("leveled,fanout=10");
  public static final StoreSpec ROCKSDB = StoreSpec.peer(StoreSpec.Kind.ROCKSDB);
  public static final StoreSpec UNIVERSAL = StoreSpec.peer(StoreSpec.Kind.ROCKSDB_UNIVERSAL);

  /** Stores by the names that the tables of loads and rows use. */
  static final Map<String, StoreSpec> NAMED =
      Map.ofEntries(
          Map.entry("forest", FOREST),
          Map.entry("uncleaned", StoreSpec.ours("split-forest,cleaning_threshold=0")),
          Map.entry("leveled", LEVELED),
          Map.entry("delayed", StoreSpec.ours("delayed,fanout=10,vct=12")),
          Map.entry("grouped", StoreSpec.ours("grouped,groups=4")),
          Map.entry("lazy", StoreSpec.ours("lazy-binomial,k=8,x=0.5")),
          Map.entry("merging", StoreSpec.ours("tiered,trigger=64")),
          Map.entry("rocksdb", ROCKSDB),
          Map.entry("universal", UNIVERSAL),
          Map.entry("lmdb", StoreSpec.peer(StoreSpec.Kind.LMDB)),
          Map.entry("mvstore", StoreSpec.peer(StoreSpec.Kind.MVSTORE)),
          Map.entry("xodus", StoreSpec.peer(StoreSpec.Kind.XODUS)),
          Map.entry("leveldb", StoreSpec.peer(StoreSpec.Kind.LEVELDB)),
          Map.entry("mapdb", StoreSpec.peer(StoreSpec.Kind.MAPDB)));

  private Stores() {}
}
