// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
/**
 * The suite {@code read}: lookups and seeks, cold and in memory, scheme beside scheme and ours
 * beside RocksDB. {@code ReadRows} says what is measured and what is wanted; {@code ReadSuite} runs
 * the processes that load and measure, and makes the rows.
 */
package io.coppice.bench.read;
