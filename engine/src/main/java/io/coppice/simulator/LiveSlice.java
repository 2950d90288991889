// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.simulator;

/**
 * A table, or the slice of one, as it lies in a living store.
 *
 * @param level level 0 first
 * @param run its place in the level, 0 newest
 * @param low where it begins in the order of keys, from 0 to 1, keys being equally dense everywhere
 * @param high where it ends, at least {@code low}
 * @param entries in it
 * @param group of its virtual segment, 0 for none
 * @param parents of that segment, 0 likewise
 */
public record LiveSlice(
    int level, int run, double low, double high, long entries, long group, int parents) {}
