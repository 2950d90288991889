// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.read.stats;

/**
 * Read load of one family since its store was opened. A value; counters that change during the call
 * may be of slightly different moments, and none ever decreases.
 *
 * @param lookups keys looked up, each key of a multi-get counted separately
 * @param misses lookups without a value
 * @param lookupNanos total duration of single-key lookups in nanoseconds, extrapolated from one in
 *     64
 * @param scans moves of a cursor to an end or to a key
 * @param scannedEntries steps of cursors from one key to the next
 */
public record ReadLoad(
    long lookups, long misses, long lookupNanos, long scans, long scannedEntries) {}
