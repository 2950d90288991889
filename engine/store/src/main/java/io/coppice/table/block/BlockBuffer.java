// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.table.block;

import io.coppice.base.CorruptionException;
import io.coppice.base.bytes.ByteSource;
import io.coppice.base.bytes.Bytes;
import io.coppice.base.bytes.Checksum;
import io.coppice.base.bytes.Coding;
import io.coppice.io.Disk.InputFile;
import io.coppice.io.ReadBatch;
import java.io.EOFException;
import java.io.IOException;
import java.io.UncheckedIOException;

/**
 * Reusable holder of the last <em>unit</em> that was read from a table: a block or another
 * checksummed part. It verifies the unit in its own memory, or in place in the memory of a batch or
 * readahead buffer, and decompresses it into its own memory. An array larger than a normal block is
 * dropped when the next normal block is read. Not safe to share between threads.
 */
public final class BlockBuffer {

  /** Largest array in bytes that is reused; a larger one serves a single large block. */
  private static final int MAX_KEPT_BYTES = 256 << 10;

  /**
   * Smallest array in bytes: one block of the default size, small enough for a cursor that reads
   * one block.
   */
  private static final int MIN_BYTES = 4 << 10;

  private final Checksum checksum = new Checksum();
  private final ByteSource source = new ByteSource();
  private byte[] stored = Bytes.EMPTY;
  private byte[] restored = Bytes.EMPTY;

  /**
   * Array of the last unit: {@code stored}, {@code restored}, or the array of a readahead or a
   * batched read.
   */
  private byte[] array = Bytes.EMPTY;

  private int start;

  /**
   * Returns the array that holds the last unit read. Its bytes are valid until the next read, and
   * those of a lent unit only as long as the batch keeps them.
   */
  public byte[] array() {
    return array;
  }

  /** Returns the position of the unit's first byte in {@link #array}. */
  int start() {
    return start;
  }

  /**
   * Returns an array of at least the given length, into which the caller copies a verified unit
   * from position 0.
   */
  public byte[] room(int length) {
    stored = ensure(stored, length);
    array = stored;
    start = 0;
    return array;
  }

  /**
   * Copies a block out of the file, verifies its checksum, and decompresses it if needed.
   *
   * @param alone batch that carries out the read; null for an ordinary read of the file
   * @param length length on disk with the trailer; the caller has checked that the file is long
   *     enough
   * @return the length of the block in {@link #array}, decompressed and without the trailer
   * @throws CorruptionException if the block is damaged
   * @throws io.coppice.base.InvalidOptionsException if its codec is not on the class path
   * @throws UncheckedIOException if it cannot be read
   */
  public int readBlock(
      InputFile file, ReadBatch alone, long fileNumber, long offset, int length, Codecs codecs) {
    copy(file, alone, offset, length);
    return restore(file, fileNumber, offset, length, codecs);
  }

  /**
   * Takes a block from a batched read of the same bytes, after waiting for the end of that read. It
   * verifies and decompresses the block, with the result and the exceptions of {@link #readBlock}.
   *
   * @param lent whether the block is verified and used in the memory of the batch; it is then valid
   *     only as long as the batch keeps that memory
   * @param file the file that holds the block, for error messages
   */
  public int takeBlock(
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

  /**
   * Verifies a block in place in a readahead buffer that holds it, and decompresses it if needed.
   * Returns and throws as {@link #readBlock(InputFile, ReadBatch, long, long, int, Codecs)} does.
   */
  public int readBlock(
      ReadaheadBuffer readahead,
      InputFile file,
      long fileNumber,
      long offset,
      int length,
      Codecs codecs) {
    array = readahead.array();
    start = readahead.position(offset);
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
      // A padding larger than the block leaves an empty block, which the cursor rejects.
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
   * Copies a unit that is never compressed (any unit except a block) out of the file and verifies
   * it.
   *
   * @param length with the trailer; the caller has checked that the file is long enough
   * @return the length without the trailer
   * @throws CorruptionException if the unit is damaged
   * @throws UncheckedIOException if it cannot be read
   */
  public int read(InputFile file, long fileNumber, long offset, int length) {
    copy(file, null, offset, length);
    int left = verified(file, fileNumber, offset, length);
    if (stored[left] != BlockCodec.NONE.code()) {
      throw new CorruptionException(file.name(), offset, "unknown block codec " + stored[left]);
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

  /**
   * Selects the buffer's own array for a unit of this length and inverts the bytes at the place of
   * its checksum. Bytes of an earlier unit then fail verification if a read leaves them there.
   *
   * @param length length of the unit in bytes, trailer included
   */
  private void clear(int length) {
    stored = ensure(stored, length);
    array = stored;
    start = 0;
    int sumAt = length - Integer.BYTES;
    // On JDK 17 a page that cannot be read may silently leave the array unchanged. Old bytes of an
    // earlier unit must then fail verification.
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
