// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
/**
 * YCSB's workloads A to F, run by YCSB's own client on bindings to Coppice, RocksDB and MVStore:
 * one codec of records, and one class per store.
 */
package io.coppice.bench.ycsb;
