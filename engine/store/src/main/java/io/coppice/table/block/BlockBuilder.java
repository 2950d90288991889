// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.table.block;

import io.coppice.base.bytes.ByteSink;
import io.coppice.base.bytes.Bytes;
import io.coppice.base.bytes.Checksum;
import io.coppice.base.bytes.Coding;
import io.coppice.entry.EntryKind;
import java.util.Arrays;

/**
 * Writer of blocks in the format of {@link BlockLayout}, one after the other, to a sink that the
 * caller drains. One builder serves a whole table. Not safe to share between threads.
 */
public final class BlockBuilder {

  /** A block is stored compressed only if that saves at least one part in this many. */
  private static final int MIN_SHARE_SAVED = 16;

  /** Size in bytes above which a buffer, enlarged for a large value, is dropped after use. */
  private static final int MAX_KEPT_BYTES = 1 << 20;

  private final ByteSink sink;
  private final int restartInterval;

  /** Codec of the blocks; null for none. */
  private final CompressionCodec codec;

  private final int codecCode;
  private byte[] compressed = Bytes.EMPTY;
  private final Checksum checksum = new Checksum();

  private int lastRawLength;
  private int lastCodec;
  private byte[] lastKey = new byte[256];
  private int lastKeyLength;

  /** Position of the block's first byte in the sink. */
  private int start;

  private int entries;
  private int[] restarts = new int[16];
  private int restartCount;

  /**
   * Creates a builder that appends to a sink.
   *
   * @param restartInterval number of entries after which a key is stored in full
   * @param bytes the codec's implementation; null for {@link BlockCodec#NONE}
   */
  public BlockBuilder(
      ByteSink sink, int restartInterval, BlockCodec codec, CompressionCodec bytes) {
    this.sink = sink;
    this.restartInterval = restartInterval;
    this.codec = bytes;
    this.codecCode = codec.code();
  }

  /** Starts a block at the sink's end. */
  public void begin() {
    start = sink.length();
    entries = 0;
    restartCount = 0;
  }

  /** Returns whether the builder tries to compress its blocks. */
  public boolean compresses() {
    return codec != null;
  }

  /** Returns the number of entries in the current block. */
  public int entries() {
    return entries;
  }

  /**
   * Returns the length in bytes, uncompressed and with the trailer, that the current block would
   * have if it were finished now.
   */
  public int bytes() {
    return sink.length() - start + (restartCount + 1) * Integer.BYTES + BlockLayout.TRAILER_BYTES;
  }

  /**
   * Returns the bytes of the current block's entries, which is the part of the block that the sink
   * holds.
   */
  public int rawBytes() {
    return sink.length() - start;
  }

  /**
   * Returns the array with the last key added, also across blocks; valid until the next entry is
   * added.
   */
  public byte[] lastKey() {
    return lastKey;
  }

  public int lastKeyLength() {
    return lastKeyLength;
  }

  public void add(
      byte[] key,
      int keyOffset,
      int keyLength,
      long sequence,
      EntryKind kind,
      byte[] value,
      int valueOffset,
      int valueLength) {
    int shared = 0;
    if (entries % restartInterval == 0) {
      restart();
    } else {
      shared = Bytes.commonPrefix(lastKey, 0, lastKeyLength, key, keyOffset, keyLength);
    }
    int unshared = keyLength - shared;
    sink.u8(kind.code())
        .varint32(shared)
        .varint32(unshared)
        .varint64(sequence)
        .varint32(valueLength)
        .bytes(key, keyOffset + shared, unshared)
        .bytes(value, valueOffset, valueLength);
    if (lastKey.length < keyLength) {
      lastKey = new byte[Math.max(keyLength, 2 * lastKey.length)];
      shared = 0;
    }
    System.arraycopy(key, keyOffset + shared, lastKey, shared, keyLength - shared);
    lastKeyLength = keyLength;
    entries++;
  }

  /**
   * Completes the block, compresses it if that saves enough, and appends its trailer.
   *
   * @param fileNumber number of the file, which the checksum includes
   * @param fileOffset offset in the file where the block will begin
   * @param most maximum length of a block of several entries when padding aligns its end with a
   *     page of the file; 0 disables padding, which suits blocks that will be compressed
   * @return the block's length on disk, with the trailer
   */
  public int finish(long fileNumber, long fileOffset, int most) {
    assert entries > 0;
    for (int i = 0; i < restartCount; i++) {
      sink.fixed32(restarts[i]);
    }
    sink.fixed32(restartCount);
    lastRawLength = sink.length() - start;
    lastCodec = codec != null && compress() ? codecCode : BlockCodec.NONE.code();
    long end = fileOffset + lastRawLength + BlockLayout.TRAILER_BYTES;
    int padding = (int) (-end & BlockLayout.PAGE_BYTES - 1);
    if (padding >= Short.BYTES
        && padding <= Math.min(BlockLayout.MAX_PADDING, most / 8)
        && (entries == 1 || end + padding - fileOffset <= most)) {
      lastCodec = BlockLayout.PADDED;
      for (int i = Short.BYTES; i < padding; i++) {
        sink.u8(0);
      }
      sink.u8(padding).u8(padding >>> 8);
    }
    seal(sink, start, lastCodec, checksum, fileNumber, fileOffset);
    return sink.length() - start;
  }

  /**
   * Returns the length in bytes of the last finished block before compression, without padding and
   * trailer; 0 before the first.
   */
  public int lastRawLength() {
    return lastRawLength;
  }

  /** Returns the codec code in the trailer of the last finished block. */
  public int lastCodec() {
    return lastCodec;
  }

  /**
   * Replaces the block by its compressed form if that saves a sixteenth. Returns whether it did.
   * The compressed form must be at least as long as {@link BlockLayout#MAX_RATIO} requires and as
   * the block's last key: readers treat a separator that is longer than its block as damage.
   */
  private boolean compress() {
    int length = sink.length() - start;
    int room = codec.maxLength(length);
    if (compressed.length < room) {
      compressed = new byte[room];
    }
    int made = codec.compress(sink.array(), start, length, compressed);
    if (made > length - length / MIN_SHARE_SAVED - Coding.MAX_VARINT_32
        || made < lastKeyLength
        || made < length / BlockLayout.MAX_RATIO + 1) {
      return false;
    }
    sink.truncate(start);
    sink.varint32(length).bytes(compressed, 0, made);
    if (compressed.length > MAX_KEPT_BYTES) {
      compressed = Bytes.EMPTY;
    }
    return true;
  }

  /**
   * Appends the trailer of the unit that begins at position {@code start} of the sink.
   *
   * @param codec code of the codec, the first byte of the trailer
   * @param fileNumber number of the file, which the checksum includes
   * @param fileOffset offset in the file where the unit will begin
   */
  public static void seal(
      ByteSink sink, int start, int codec, Checksum checksum, long fileNumber, long fileOffset) {
    sink.u8(codec);
    int sum =
        checksum
            .reset()
            .add(sink.array(), start, sink.length() - start)
            .value(fileNumber, fileOffset);
    sink.fixed32(sum);
  }

  private void restart() {
    if (restartCount == restarts.length) {
      restarts = Arrays.copyOf(restarts, 2 * restartCount);
    }
    restarts[restartCount++] = sink.length() - start;
  }
}
