// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.table;

import io.coppice.io.FileHeader;
import io.coppice.table.block.BlockLayout;
import io.coppice.table.block.RangeDeletionBlock;

/**
 * Byte layout of a table file; {@code docs/formats/table.md} explains each part.
 *
 * <pre>
 *   table      = envelope block* index [ranges trailer] properties footer
 *   index      = { shared varint | unshared varint | bytes | blockLength varint }* trailer
 *   ranges     = as in {@link RangeDeletionBlock}; between index and properties if there are any
 *   properties = entries, tombstones, rangeDeletions, keys, minSequence, maxSequence, blocks,
 *                rawBytes, codecs, family (varints) | keyDigest u64 | firstEnd u64 | smallest key,
 *                largest key (each varint length, bytes) | trailer
 *   footer     = the 40 bytes below, at the end of the file
 *
 *    0  index offset        u64
 *    8  index length        u64, trailer included
 *   16  properties offset   u64
 *   24  properties length   u32, trailer included
 *   28  magic               u64
 *   36  checksum            u32, of bytes 0 to 35, salted with file number and footer offset
 * </pre>
 *
 * <p>Index, ranges and properties end in the trailer of {@link BlockLayout}.
 */
public final class TableLayout {

  static final int FOOTER_BYTES = 40;
  static final int INDEX_OFFSET = 0;
  static final int INDEX_LENGTH = 8;
  static final int PROPERTIES_OFFSET = 16;
  static final int PROPERTIES_LENGTH = 24;
  static final int MAGIC_OFFSET = 28;
  static final int CHECKSUM_OFFSET = 36;

  /** "tableend" in ASCII, little-endian. */
  static final long MAGIC = 0x646E65656C626174L;

  /** First expiry of a table without expiring values. */
  public static final long NO_END = Long.MAX_VALUE;

  /** Offset of the first block, directly after the file header. */
  static final long FIRST_BLOCK = FileHeader.BYTES;

  /**
   * Length in bytes of the shortest table, which holds only range deletions and has an empty index.
   */
  public static final long MIN_BYTES = FIRST_BLOCK + 2 * BlockLayout.TRAILER_BYTES + FOOTER_BYTES;

  private TableLayout() {}
}
