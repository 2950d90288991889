// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.

/**
 * Writes: batches wait in a queue, commit in groups to the log and the active memtable, and become
 * visible; full memtables are sealed and flushed.
 *
 * <p>In: batches with a durability. Out: log records, memtable entries, tables of level 0. Only the
 * leader of the {@code WriteQueue} may append to the log and change the active memtables.
 *
 * <p>Public records, enums and exceptions are safe to share between threads; each other public
 * class states its own rule.
 */
package io.coppice.write;
