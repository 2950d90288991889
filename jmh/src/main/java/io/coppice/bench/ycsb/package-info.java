// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
/**
 * YCSB's workloads A to F, run by its own client on bindings for our store, RocksDB and MVStore:
 * one codec of records, one class a store.
 */
package io.coppice.bench.ycsb;
