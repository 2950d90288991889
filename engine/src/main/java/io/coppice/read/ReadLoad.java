// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.read;

/**
 * How one family was read since its store was opened. A value; numbers that change while it is made
 * are of slightly different moments, and none ever gets smaller.
 *
 * @param lookups keys looked up, each key of a lookup of many for itself
 * @param misses those of them that have no value
 * @param lookupNanos what the lookups of single keys took together, told from one in 64
 * @param scans times that a cursor went to an end or to a key
 * @param scannedEntries steps of cursors from one key to the next
 */
public record ReadLoad(
    long lookups, long misses, long lookupNanos, long scans, long scannedEntries) {}
