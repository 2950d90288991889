// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
/**
 * The suite {@code read}: lookups and seeks, cold and in memory, scheme beside scheme and Coppice
 * beside RocksDB. {@code ReadRows} defines the measured rows and their goals. {@code ReadSuite}
 * runs the processes that load and measure, and builds the rows.
 */
package io.coppice.bench.read;
