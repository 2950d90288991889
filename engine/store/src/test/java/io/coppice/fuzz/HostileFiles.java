// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.fuzz;

import io.coppice.base.bytes.ByteSink;
import io.coppice.base.bytes.Checksum;
import io.coppice.base.bytes.Coding;
import io.coppice.io.FileHeader;
import io.coppice.io.FileKind;
import java.util.Arrays;
import java.util.List;

/**
 * Files of any content with sound checksums, so that what is behind them is reached. They are put
 * together by {@code docs/formats} alone.
 */
final class HostileFiles {

  private static final int RECORD_HEADER_BYTES = 20;
  private static final long TABLE_MAGIC = 0x646E65656C626174L;

  private HostileFiles() {}

  /**
   * A log: an envelope, then these bytes. From each record header that fits on, the checksums are
   * mended; one whose length does not fit ends that.
   */
  static byte[] log(FileKind kind, long number, byte[] records) {
    byte[] file =
        Arrays.copyOf(FileHeader.of(kind, number).encode(), FileHeader.BYTES + records.length);
    System.arraycopy(records, 0, file, FileHeader.BYTES, records.length);
    int at = FileHeader.BYTES;
    while (at + RECORD_HEADER_BYTES <= file.length) {
      long length = Integer.toUnsignedLong(Coding.fixed32(file, at));
      int payload = at + RECORD_HEADER_BYTES;
      boolean fits = length <= file.length - payload;
      if (fits) {
        Coding.putFixed32(file, at + 4, Checksum.of(number, payload, file, payload, (int) length));
      }
      Coding.putFixed32(file, at + 16, Checksum.of(number, at, file, at, 16));
      if (!fits) {
        break;
      }
      at = payload + (int) length;
    }
    return file;
  }

  /**
   * A table of these blocks, index, ranges if there are any and properties, without trailers.
   *
   * @param codec what the blocks say how they are compressed
   */
  static byte[] table(
      long number, int codec, List<byte[]> blocks, byte[] index, byte[] ranges, byte[] properties) {
    ByteSink file = new ByteSink(4096);
    byte[] envelope = FileHeader.of(FileKind.TABLE, number).encode();
    file.bytes(envelope, 0, envelope.length);
    blocks.forEach(block -> unit(file, number, block, codec));
    int indexOffset = file.length();
    unit(file, number, index, 0);
    int indexLength = file.length() - indexOffset;
    if (ranges.length > 0) {
      unit(file, number, ranges, 0);
    }
    int propertiesOffset = file.length();
    unit(file, number, properties, 0);
    int footer = file.length();
    file.fixed64(indexOffset).fixed64(indexLength);
    file.fixed64(propertiesOffset).fixed32(footer - propertiesOffset).fixed64(TABLE_MAGIC);
    file.fixed32(Checksum.of(number, footer, file.array(), footer, file.length() - footer));
    return Arrays.copyOf(file.array(), file.length());
  }

  private static void unit(ByteSink file, long number, byte[] content, int codec) {
    int from = file.length();
    file.bytes(content, 0, content.length).u8(codec);
    file.fixed32(Checksum.of(number, from, file.array(), from, file.length() - from));
  }

  /** An envelope of any content with a sound checksum. */
  static byte[] envelope(byte[] content) {
    byte[] bytes = Arrays.copyOf(content, FileHeader.BYTES);
    Coding.putFixed32(bytes, 44, Checksum.of(Coding.fixed64(bytes, 32), 0, bytes, 0, 44));
    return bytes;
  }

  /** The pieces of some bytes: each begins with its length in two, the last takes what remains. */
  static byte[][] pieces(byte[] data, int from, int count) {
    byte[][] pieces = new byte[count][];
    int at = from;
    for (int i = 0; i < count; i++) {
      int left = Math.max(0, data.length - at);
      int length = left;
      if (i < count - 1 && left >= 2) {
        length = Math.min((data[at] & 0xFF) | (data[at + 1] & 0xFF) << 8, left - 2);
        at += 2;
      }
      pieces[i] =
          Arrays.copyOfRange(data, Math.min(at, data.length), Math.min(at, data.length) + length);
      at += length;
    }
    return pieces;
  }

  /** The reverse of {@link #pieces}. */
  static byte[] joined(byte first, byte[]... pieces) {
    ByteSink sink = new ByteSink(256);
    sink.u8(first);
    for (int i = 0; i < pieces.length; i++) {
      if (i < pieces.length - 1) {
        sink.u8(pieces[i].length & 0xFF).u8(pieces[i].length >> 8);
      }
      sink.bytes(pieces[i], 0, pieces[i].length);
    }
    return Arrays.copyOf(sink.array(), sink.length());
  }
}
