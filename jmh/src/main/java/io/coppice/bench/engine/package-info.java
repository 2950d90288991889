// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
/**
 * The embedded store beside others, by the workloads of {@code db_bench}: {@code Bench} runs
 * rounds, {@code Trials} many loads for the suites, each store and round in a process of its own;
 * {@code StoreProcess} is that process, and a {@code WorkloadRun} one workload in it, on a {@code
 * TestedStore}; {@code BenchReport} makes ratios and the table.
 */
package io.coppice.bench.engine;
