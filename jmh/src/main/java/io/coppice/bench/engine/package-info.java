// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
/**
 * Workloads of {@code db_bench} on the stores under test. {@code Bench} runs rounds, and {@code
 * Trials} runs many workloads for the suites. Each store and round has its own process, {@code
 * StoreProcess}. A {@code WorkloadRun} is one workload. {@code BenchReport} computes ratios.
 */
package io.coppice.bench.engine;
