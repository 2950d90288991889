// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.bench.overhead;

/**
 * Costs per operation of one turn.
 *
 * @param fillNanos processor time of the whole process, flushes and merges included
 * @param readNanos the same for reads
 * @param fillBytes of the heap that the writing thread allocated
 * @param readBytes the same for the reading thread
 */
record Costs(double fillNanos, double readNanos, double fillBytes, double readBytes) {}
