// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
/**
 * The suites beside peers: our store under its policies and RocksDB, LMDB, MVStore, Xodus, LevelDB,
 * MapDB on the same loads, with a row for each thing that is claimed, its goal, and what was found.
 */
package io.coppice.bench.peers;
