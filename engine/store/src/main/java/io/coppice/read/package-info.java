// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.

/**
 * Reads: point lookups and cursors over memtables and the tables of a leased version.
 *
 * <p>In: keys, ranges, sequence numbers. Out: copied values and {@link
 * io.coppice.read.VisibleCursor}. Once the tables are loaded, a read takes no lock, and a lookup
 * allocates only its result.
 *
 * <p>Public records, enums and exceptions are safe to share between threads; each other public
 * class states its own rule.
 */
package io.coppice.read;
