// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
/**
 * The suite {@code read}: lookups and seeks, cold and in memory, under several search schemes and
 * in comparison with RocksDB. {@code ReadRows} makes the rows and applies their goals. {@code
 * ReadSuite} runs the processes that load and measure.
 */
package io.coppice.bench.read;
