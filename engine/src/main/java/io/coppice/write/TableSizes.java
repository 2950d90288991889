// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.write;

/**
 * What the policy of a family means for its writes.
 *
 * @param tableBytes the size at which flushes cut their tables
 * @param restingRuns runs in level 0 up to which the policy may leave them alone; only what lies
 *     above that makes writers wait
 */
public record TableSizes(long tableBytes, long restingRuns) {}
