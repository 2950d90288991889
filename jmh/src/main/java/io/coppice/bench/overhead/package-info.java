// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
/** The command {@code overhead}: the cost of counters, tuner and beans in a store under load. */
package io.coppice.bench.overhead;
