// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
/**
 * Suites that compare stores: Coppice with several policies, RocksDB, LMDB, MVStore, Xodus, LevelDB
 * and MapDB under the same loads. Each claim has a row with its goal and its result.
 */
package io.coppice.bench.peers;
