// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.table;

import io.coppice.base.ByteSink;
import io.coppice.base.Bytes;
import io.coppice.base.Checksum;
import io.coppice.base.Coding;
import io.coppice.entry.Kind;
import java.util.Arrays;

/**
 * Appends one block after the other to a sink that the caller empties now and then. Reused for a
 * whole table; not safe to share between threads. The form is {@link BlockLayout}'s.
 */
final class BlockBuilder {

  /** A block that shrinks by less than this share of itself is not worth restoring. */
  private static final int LEAST_SHARE_SAVED = 16;

  /** What a large value stretched is not kept. */
  private static final int MAX_KEPT_BYTES = 1 << 20;

  private final ByteSink sink;
  private final int restartInterval;

  /** Null if blocks are stored as they are. */
  private final CodecBytes codec;

  private final int codecCode;
  private byte[] compressed = Bytes.EMPTY;
  private final Checksum checksum = new Checksum();

  private int lastRawLength;
  private int lastCodec;
  private byte[] lastKey = new byte[256];
  private int lastKeyLength;

  /** The position in the sink of the block's first byte. */
  private int start;

  private int entries;
  private int[] restarts = new int[16];
  private int restartCount;

  /**
   * Appends to a sink.
   *
   * @param bytes the means of the codec; null if that is {@link BlockCodec#NONE}
   */
  BlockBuilder(ByteSink sink, int restartInterval, BlockCodec codec, CodecBytes bytes) {
    this.sink = sink;
    this.restartInterval = restartInterval;
    this.codec = bytes;
    this.codecCode = codec.code();
  }

  /** Starts a block at the sink's end. */
  void begin() {
    start = sink.length();
    entries = 0;
    restartCount = 0;
  }

  /** Returns true if blocks are compressed where that saves enough. */
  boolean compresses() {
    return codec != null;
  }

  /** Entries in the block so far. */
  int entries() {
    return entries;
  }

  /** Bytes of the block so far, as it would be finished now. */
  int bytes() {
    return sink.length() - start + (restartCount + 1) * Integer.BYTES + BlockLayout.TRAILER_BYTES;
  }

  /** Bytes of the entries so far, which is what the sink holds of the block. */
  int rawBytes() {
    return sink.length() - start;
  }

  /** The last key added, over block borders; lent until the next one. */
  byte[] lastKey() {
    return lastKey;
  }

  int lastKeyLength() {
    return lastKeyLength;
  }

  void add(
      byte[] key,
      int keyOffset,
      int keyLength,
      long sequence,
      Kind kind,
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
   * Completes the block.
   *
   * @param most how long a block of several entries may be if padding makes it end with a page of
   *     the file; 0 for no padding, as where it is to be compressed
   * @return its length with the trailer
   */
  int finish(long fileNumber, long fileOffset, int most) {
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

  /** The length before compression of the block finished last, without the trailer. */
  int lastRawLength() {
    return lastRawLength;
  }

  /** What the trailer of the block finished last names. */
  int lastCodec() {
    return lastCodec;
  }

  /**
   * Replaces the block by its compressed form, if that is worth while: it saves a sixteenth. Nor
   * may it be shorter than {@link BlockLayout#MAX_RATIO} allows, or than the block's last key: a
   * separator is taken for damage if it is longer than its block.
   */
  private boolean compress() {
    int length = sink.length() - start;
    int room = codec.maxLength(length);
    if (compressed.length < room) {
      compressed = new byte[room];
    }
    int made = codec.compress(sink.array(), start, length, compressed);
    if (made > length - length / LEAST_SHARE_SAVED - Coding.MAX_VARINT_32
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

  /** Appends the trailer of the unit that begins at {@code start}. */
  static void seal(
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
