// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.table;

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
 * </pre>
 *
 * A key's first {@code shared} bytes are those of the key before it. The checksum is salted with
 * the file's number and the block's offset.
 */
final class BlockLayout {

  /** The block is stored as it is; the only codec there is. Persisted; never renumber. */
  static final int CODEC_NONE = 0;

  /** Codec and checksum. */
  static final int TRAILER_BYTES = 1 + Integer.BYTES;

  /** The largest restart interval, so that walking backward buffers a bounded number of keys. */
  static final int MAX_RESTART_INTERVAL = 128;

  /** Kind and four varints of one byte. */
  static final int MIN_ENTRY_BYTES = 5;

  /** One entry with an empty key and value, one restart, the count and the trailer. */
  static final int MIN_BLOCK_BYTES = MIN_ENTRY_BYTES + 2 * Integer.BYTES + TRAILER_BYTES;

  private BlockLayout() {}
}
