// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.table;

import io.coppice.base.ByteSource;
import io.coppice.base.Bytes;
import io.coppice.base.Checksum;
import io.coppice.base.Coding;
import io.coppice.base.CorruptionException;
import io.coppice.io.Disk.InputFile;
import io.coppice.io.ReadBatch;
import java.io.EOFException;
import java.io.IOException;
import java.io.UncheckedIOException;

/**
 * The private memory into which blocks are copied before they are verified and parsed. Reused from
 * block to block; memory beyond a normal block is let go with the next one. Not safe to share
 * between threads.
 */
final class BlockBuffer {

  /** Larger arrays serve one block with a large value and are then dropped. */
  private static final int MAX_KEPT_BYTES = 256 << 10;

  /** A block of the default size; little enough for a cursor that reads one block. */
  private static final int MIN_BYTES = 4 << 10;

  private final Checksum checksum = new Checksum();
  private final ByteSource source = new ByteSource();
  private byte[] stored = Bytes.EMPTY;
  private byte[] restored = Bytes.EMPTY;

  /** One of the two above, or that of a stretch or of a read. */
  private byte[] array = Bytes.EMPTY;

  private int start;

  /** The bytes of the last unit read; lent until the next one. */
  byte[] array() {
    return array;
  }

  /** Where they begin in the array. */
  int start() {
    return start;
  }

  /** The array, with room for so many bytes that the caller writes: a verified unit. */
  byte[] room(int length) {
    stored = ensure(stored, length);
    array = stored;
    start = 0;
    return array;
  }

  /**
   * Copies a block out of the file, verifies it, and restores it if it is compressed.
   *
   * @param alone reads it; null if it is read as anybody reads the file
   * @param length with the trailer; the caller has checked that the file is long enough
   * @return the length of what {@link #array} then holds
   * @throws CorruptionException if it is damaged
   * @throws io.coppice.base.InvalidOptionsException if its codec is not on the class path
   */
  int readBlock(
      InputFile file, ReadBatch alone, long fileNumber, long offset, int length, Codecs codecs) {
    copy(file, alone, offset, length);
    return restore(file, fileNumber, offset, length, codecs);
  }

  /**
   * As {@link #readBlock}, out of a read of the same bytes; waits until that has ended.
   *
   * @param lent true if the block is verified and used where the read has it, and is there no
   *     longer than that
   * @param file of which the bytes are
   */
  int takeBlock(
      ReadBatch batch,
      int read,
      boolean lent,
      InputFile file,
      long fileNumber,
      long offset,
      int length,
      Codecs codecs) {
    batch.await(1L << read);
    try {
      if (lent) {
        array = batch.lend(read);
        start = 0;
      } else {
        clear(length);
        batch.take(read, array, 0);
      }
    } catch (IOException e) {
      throw unread(file, offset, e);
    }
    return restore(file, fileNumber, offset, length, codecs);
  }

  /** As {@link #readBlock}, of a block that a stretch holds; it is verified and used in place. */
  int readBlock(
      Stretch stretch, InputFile file, long fileNumber, long offset, int length, Codecs codecs) {
    array = stretch.array();
    start = stretch.position(offset);
    return restore(file, fileNumber, offset, length, codecs);
  }

  private int restore(InputFile file, long fileNumber, long offset, int length, Codecs codecs) {
    int left = verified(file, fileNumber, offset, length);
    int code = array[start + left];
    if (code == BlockCodec.NONE.code()) {
      return left;
    }
    if (code == BlockLayout.PADDED && left >= Short.BYTES) {
      int end = start + left;
      int padding = array[end - 2] & 0xFF | (array[end - 1] & 0xFF) << 8;
      // More than there is leaves less than a block, which the cursor refuses.
      return Math.max(0, left - padding);
    }
    BlockCodec codec = BlockCodec.of(code);
    if (codec == null) {
      throw new CorruptionException(file.name(), offset, "unknown block codec " + code);
    }
    source.reset(file.name(), offset, array, start, left);
    int rawLength = source.varint31();
    int from = source.position();
    int packed = start + left - from;
    if (rawLength > BlockLayout.MAX_RAW_BYTES || rawLength / BlockLayout.MAX_RATIO > packed) {
      throw new CorruptionException(
          file.name(),
          offset,
          "a block of " + left + " bytes says that it has " + rawLength + " uncompressed");
    }
    restored = ensure(restored, rawLength);
    int found =
        codecs
            .get(codec, file.name() + " has compressed blocks")
            .restore(array, from, packed, restored, rawLength);
    if (found != rawLength) {
      throw new CorruptionException(
          file.name(),
          offset,
          codec + " restores " + found + " bytes of a block that has " + rawLength);
    }
    array = restored;
    start = 0;
    return rawLength;
  }

  /**
   * Copies a unit other than a block, which is never compressed, out of the file and verifies it.
   *
   * @param length with the trailer; the caller has checked that the file is long enough
   * @return the length without the trailer
   * @throws CorruptionException if it is damaged
   */
  int read(InputFile file, long fileNumber, long offset, int length) {
    copy(file, null, offset, length);
    int left = verified(file, fileNumber, offset, length);
    if (stored[left] != BlockCodec.NONE.code()) {
      throw new CorruptionException(file.name(), offset, "unknown codec " + stored[left]);
    }
    return left;
  }

  private void copy(InputFile file, ReadBatch alone, long offset, int length) {
    clear(length);
    try {
      if (alone == null) {
        file.read(offset, array, 0, length);
      } else {
        alone.readAlone(file, offset, array, 0, length);
      }
    } catch (IOException e) {
      throw unread(file, offset, e);
    }
  }

  /** Makes room in which nothing passes for a unit. */
  private void clear(int length) {
    stored = ensure(stored, length);
    array = stored;
    start = 0;
    int sumAt = length - Integer.BYTES;
    // A page that cannot be read may leave the array as it was, without a word (JDK 17). What is
    // left of an earlier unit must then not pass for this one.
    Coding.putFixed32(array, sumAt, ~Coding.fixed32(array, sumAt));
  }

  private static RuntimeException unread(InputFile file, long offset, IOException cause) {
    return cause instanceof EOFException
        ? new CorruptionException(file.name(), offset, "the file ends inside a block", cause)
        : new UncheckedIOException(file.name() + " cannot be read at offset " + offset, cause);
  }

  private int verified(InputFile file, long fileNumber, long offset, int length) {
    int summed = length - Integer.BYTES;
    int found = Coding.fixed32(array, start + summed);
    int expected = checksum.reset().add(array, start, summed).value(fileNumber, offset);
    if (found != expected) {
      throw new CorruptionException(
          file.name(),
          offset,
          String.format(
              "a block of %d bytes has checksum %08x, its bytes give %08x",
              length, found, expected));
    }
    return length - BlockLayout.TRAILER_BYTES;
  }

  private static byte[] ensure(byte[] array, int length) {
    if (array.length < length || (array.length > MAX_KEPT_BYTES && length <= MAX_KEPT_BYTES)) {
      return new byte[Math.max(MIN_BYTES, length)];
    }
    return array;
  }
}
