// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.simulator;

/**
 * What a living store is expected to be given.
 *
 * @param keys distinct keys that may be written; writes choose among them evenly. Far more than
 *     there are entries if no key is written twice
 * @param entryBytes bytes of an entry on disk
 * @param flushEntries entries of each flush, at least 1
 * @param flushes how many flushes, at least 1
 * @param readsAFlush lookups beside each flush; they ask for merges of virtual segments
 * @param seed of all that is drawn
 */
public record LiveLoad(
    double keys, double entryBytes, double flushEntries, int flushes, int readsAFlush, long seed) {}
