// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.bench.papers;

/**
 * Results of a merge that was paused several times.
 *
 * @param mergingMicros p99 of a lookup while it ran
 * @param pausedMicros the same while it was paused
 * @param extraTables tables written beyond those of a merge that was not paused
 */
record Pauses(double mergingMicros, double pausedMicros, double extraTables) {}
