// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.bench.engine;

import io.coppice.bench.store.Benchmark;

/**
 * Figures of one second of a workload. A value.
 *
 * @param second number of the second, from 1
 * @param mergedBytes bytes that merges wrote in it
 * @param diskBytes bytes in the directory at its end
 * @param writePressure write pressure at its end, as a share of the pressure that stops writers
 */
public record Second(
    Benchmark benchmark,
    int second,
    long reads,
    long readP99Nanos,
    long writes,
    long writeP99Nanos,
    long mergedBytes,
    long diskBytes,
    double writePressure) {}
