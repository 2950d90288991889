// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.bench.engine;

/**
 * One second of a cell. A value.
 *
 * @param second from 1 on
 * @param mergedBytes bytes that merges made in it
 * @param diskBytes in the directory at its end
 * @param debt of the store at its end, as a share of the limit
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
    double debt) {}
