// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.

/**
 * Memtables: the off-heap sorted buffers that take writes until they are flushed.
 *
 * <p>In: entries of one writer. Out: lookups and cursors of any number of threads, without locks.
 * Memory is held by counted references; code outside this package sees only places, never
 * addresses.
 *
 * <p>Public records, enums and exceptions are safe to share between threads; each other public
 * class states its own rule.
 */
package io.coppice.memtable;
