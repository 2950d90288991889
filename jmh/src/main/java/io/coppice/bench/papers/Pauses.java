// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.bench.papers;

/**
 * Results of a merge that was paused several times.
 *
 * @param mergingMicros 99th percentile of a lookup while the merge ran
 * @param pausedMicros 99th percentile of a lookup while it was paused
 * @param extraTables number of tables written beyond those of a merge without pauses
 */
record Pauses(double mergingMicros, double pausedMicros, double extraTables) {}
