// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
/** Microbenchmarks, which JMH runs: the cost of single calls of the engine's internal parts. */
package io.coppice.bench.micro;
