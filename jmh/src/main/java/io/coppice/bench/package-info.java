// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
/**
 * Command line of {@code coppice-bench.jar}: comparisons and benchmarks, one subcommand for each,
 * and the pages that show their reports.
 */
package io.coppice.bench;
