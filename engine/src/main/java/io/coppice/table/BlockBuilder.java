// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.table;

import io.coppice.base.ByteSink;
import io.coppice.base.Bytes;
import io.coppice.base.Checksum;
import io.coppice.entry.Kind;
import java.util.Arrays;

/**
 * Appends one block after the other to a sink that the caller empties now and then. Reused for a
 * whole table; not safe to share between threads. The form is {@link BlockLayout}'s.
 */
final class BlockBuilder {

  private final ByteSink sink;
  private final int restartInterval;
  private final Checksum checksum = new Checksum();

  private byte[] lastKey = new byte[256];
  private int lastKeyLength;

  /** The position in the sink of the block's first byte. */
  private int start;

  private int entries;
  private int[] restarts = new int[16];
  private int restartCount;

  BlockBuilder(ByteSink sink, int restartInterval) {
    this.sink = sink;
    this.restartInterval = restartInterval;
  }

  /** Starts a block at the sink's end. */
  void begin() {
    start = sink.length();
    entries = 0;
    restartCount = 0;
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
   * @return its length with the trailer
   */
  int finish(long fileNumber, long fileOffset) {
    assert entries > 0;
    for (int i = 0; i < restartCount; i++) {
      sink.fixed32(restarts[i]);
    }
    sink.fixed32(restartCount);
    seal(sink, start, checksum, fileNumber, fileOffset);
    return sink.length() - start;
  }

  /** Appends the trailer of the unit that begins at {@code start}. */
  static void seal(ByteSink sink, int start, Checksum checksum, long fileNumber, long fileOffset) {
    sink.u8(BlockLayout.CODEC_NONE);
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
