// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
/** Microbenchmarks, run by JMH: what one call of the engine's inner parts costs. */
package io.coppice.bench.micro;
