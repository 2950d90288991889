// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.bench.cost;

/**
 * Costs per operation of one turn of a store.
 *
 * @param fillNanos processor time of the whole process per write, flushes and merges included
 * @param readNanos processor time of the whole process per lookup
 * @param fillBytes heap bytes that the writing thread allocated per write
 * @param readBytes heap bytes that the reading thread allocated per lookup
 */
record Costs(double fillNanos, double readNanos, double fillBytes, double readBytes) {}
