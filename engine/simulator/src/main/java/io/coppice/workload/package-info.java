// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
/**
 * Benchmark workload of {@code db_bench}: keys, values and random numbers determined by a seed;
 * latency counts; what tool and benchmarks print, as tables and a line of progress.
 *
 * <p>Out: bytes for the benchmarks and tools; it uses nothing of the store. The sequences must stay
 * as they are, since results are compared across versions.
 *
 * <p>Public records, enums and exceptions are safe to share between threads; each other public
 * class states its own rule.
 */
package io.coppice.workload;
