// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.table.block;

import io.coppice.base.Limits;

/**
 * Byte layout of a block, the unit that is read, verified and searched.
 *
 * <pre>
 *   block   = entry* restart* count trailer
 *   entry   = kind u8 | shared varint | unshared varint | sequence varint | valueLength varint
 *             | unshared bytes of the key | value
 *   restart = u32, position in the block of an entry whose key is whole (shared = 0)
 *   count   = u32, restarts, at least 1
 *   trailer = codec u8 | checksum u32 of all before it, codec included
 *   padded  = entry* restart* count zero* padding trailer, with codec {@link #PADDED}
 *   padding = u16, bytes before the trailer from the first zero on, itself included
 * </pre>
 *
 * <p>The part before the trailer may be compressed with the codec that the trailer names ({@link
 * BlockCodec}). It then consists of the length before compression as a varint and the codec's
 * bytes.
 *
 * <p>An entry shares the first {@code shared} bytes of its key with the key before it. The checksum
 * is salted with the file's number and the block's offset.
 */
public final class BlockLayout {

  /** Bytes of the trailer: the codec and the checksum. */
  public static final int TRAILER_BYTES = 1 + Integer.BYTES;

  /**
   * Page size of the operating system in bytes, and the alignment of reads that bypass the page
   * cache.
   */
  public static final int PAGE_BYTES = 4096;

  /** Trailer code of an uncompressed block with padding that aligns its end with a page. */
  public static final int PADDED = 3;

  /** Largest padding in bytes; a block that needs more stays unaligned. */
  public static final int MAX_PADDING = 512;

  /** Largest restart interval; it bounds the keys that a backward scan buffers. */
  public static final int MAX_RESTART_INTERVAL = 128;

  /** Bytes of the smallest entry: the kind and four varints of one byte. */
  public static final int MIN_ENTRY_BYTES = 5;

  /**
   * Bytes of the smallest uncompressed block: one entry with an empty key and value, one restart,
   * the count and the trailer.
   */
  static final int MIN_BLOCK_BYTES = MIN_ENTRY_BYTES + 2 * Integer.BYTES + TRAILER_BYTES;

  /**
   * Bytes of the largest block before compression: the largest entry alone with its restart and the
   * count.
   */
  static final int MAX_RAW_BYTES = Limits.MAX_KEY_BYTES + Limits.MAX_VALUE_BYTES + 64;

  /**
   * Largest compression ratio of a stored block. It bounds the memory that a few bytes of a file
   * can make a reader allocate.
   */
  public static final int MAX_RATIO = 1024;

  /**
   * Bytes of the smallest stored block: its length before compression, one byte and the trailer.
   */
  public static final int MIN_STORED_BYTES = 2 + TRAILER_BYTES;

  private BlockLayout() {}
}
