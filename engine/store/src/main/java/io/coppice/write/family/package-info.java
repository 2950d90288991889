// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.

/**
 * Writes of one family: its active memtable, its counts, and the run that a flush makes of a sealed
 * memtable.
 *
 * <p>In: batches with sequence numbers, sealed memtables. Out: tables of level 0 and the edit that
 * installs them. Only the leader of the write queue may change active memtables. Public records,
 * enums and exceptions are safe to share between threads; each other public class states its rule.
 */
package io.coppice.write.family;
