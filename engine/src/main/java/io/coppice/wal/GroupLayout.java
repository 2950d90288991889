// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.wal;

/**
 * The payload of a record: a group of batches.
 *
 * <pre>
 *  0  first sequence  u64, of the first entry; the others follow one by one
 *  8  count           u32, entries, at least 1
 * 12  entries         as in {@link io.coppice.entry.EntryBatch}, batch after batch
 * </pre>
 */
final class GroupLayout {

  static final int HEADER_BYTES = 12;

  private GroupLayout() {}
}
