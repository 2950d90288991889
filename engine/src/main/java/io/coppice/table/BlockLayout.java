// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.table;

import io.coppice.base.Limits;

/**
 * Where things lie in a block, the unit that is read, verified and searched.
 *
 * <pre>
 *   block   = entry* restart* count trailer
 *   entry   = kind u8 | shared varint | unshared varint | sequence varint | valueLength varint
 *             | unshared bytes of the key | value
 *   restart = u32, position in the block of an entry whose key is whole (shared = 0)
 *   count   = u32, restarts, at least 1
 *   trailer = codec u8 | checksum u32 of all before it, codec included
 *   padded  = entry* restart* count zero* padding trailer, with codec {@link #PADDED}
 *   padding = u16, how many bytes stand before the trailer from the first zero on, itself included
 * </pre>
 *
 * What is before the trailer may be compressed, by the codec that the trailer names ({@link
 * BlockCodec}); it is then the length before compression as a varint and the codec's bytes.
 *
 * <p>A key's first {@code shared} bytes are those of the key before it. The checksum is salted with
 * the file's number and the block's offset.
 */
final class BlockLayout {

  /** Codec and checksum. */
  static final int TRAILER_BYTES = 1 + Integer.BYTES;

  /** Of the system, and what files are read by past its cache. */
  static final int PAGE_BYTES = 4096;

  /**
   * In the place of a codec's code: bytes as they are, and padding that makes the block end a page.
   */
  static final int PADDED = 3;

  /** A block that would take more of it is not padded. */
  static final int MAX_PADDING = 512;

  /** The largest restart interval, so that walking backward buffers a bounded number of keys. */
  static final int MAX_RESTART_INTERVAL = 128;

  /** Kind and four varints of one byte. */
  static final int MIN_ENTRY_BYTES = 5;

  /** One entry with an empty key and value, one restart, the count and the trailer. */
  static final int MIN_BLOCK_BYTES = MIN_ENTRY_BYTES + 2 * Integer.BYTES + TRAILER_BYTES;

  /** The largest block before compression: the largest entry alone, restart and count. */
  static final int MAX_RAW_BYTES = Limits.MAX_KEY_BYTES + Limits.MAX_VALUE_BYTES + 64;

  /**
   * No block is stored in less than this share of its bytes, so that a few bytes of a file never
   * make a reader take much memory.
   */
  static final int MAX_RATIO = 1024;

  /** The least that a stored block can be: its length, a byte, and the trailer. */
  static final int MIN_STORED_BYTES = 2 + TRAILER_BYTES;

  private BlockLayout() {}
}
