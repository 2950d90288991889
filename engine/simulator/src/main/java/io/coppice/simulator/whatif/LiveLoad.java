// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.simulator.whatif;

/**
 * Expected load of a live store.
 *
 * @param keys number of distinct keys, among which writes choose uniformly; far above the number of
 *     entries if no key is written twice
 * @param entryBytes bytes of an entry on disk
 * @param flushEntries entries per flush, at least 1
 * @param flushes number of flushes, at least 1
 * @param readsAFlush lookups per flush; they request merges of virtual segments
 * @param seed seed of all random numbers
 */
public record LiveLoad(
    double keys, double entryBytes, double flushEntries, int flushes, int readsAFlush, long seed) {}
