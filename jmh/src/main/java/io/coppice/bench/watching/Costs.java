// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.bench.watching;

/**
 * What operations of one turn cost, each.
 *
 * @param fillNanos processor time of the whole process, flushes and merges included
 * @param readNanos likewise
 * @param fillBytes of the heap that the writing thread allocated
 * @param readBytes likewise of the reading one
 */
record Costs(double fillNanos, double readNanos, double fillBytes, double readBytes) {}
