// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
/** The command line of coppice-bench.jar: comparisons and benchmarks, one subcommand each. */
package io.coppice.bench;
