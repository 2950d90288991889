// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.wal;

/**
 * Layout of the payload of a log record: a group of batches.
 *
 * <pre>
 *  0  first sequence  u64, of the first entry; the others are consecutive
 *  8  count           u32, entries, at least 1
 * 12  entries         as in {@link io.coppice.entry.EntryBatch}, batch after batch
 * </pre>
 */
final class GroupLayout {

  static final int HEADER_BYTES = 12;

  private GroupLayout() {}
}
