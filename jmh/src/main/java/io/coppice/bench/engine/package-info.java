// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
/**
 * The embedded store compared with other stores, under the workloads of {@code db_bench}. {@code
 * Bench} runs rounds, and {@code Trials} runs many workloads for the suites. Each store and round
 * has its own process, {@code StoreProcess}. A {@code WorkloadRun} is one workload on a {@code
 * TestedStore}. {@code BenchReport} computes ratios and prints the table.
 */
package io.coppice.bench.engine;
