// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
/**
 * Stores under test, one class each behind {@code TestedStore}: Coppice, RocksDB, LMDB, MVStore,
 * Xodus, LevelDB and MapDB. {@code BenchOptions} gives all of them the same sizes, threads and
 * memory; nothing here runs a workload.
 */
package io.coppice.bench.store;
