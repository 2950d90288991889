// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.io;

import io.coppice.base.bytes.ByteSource;

/**
 * Takes a file apart field by field and writes down offset, bytes and meaning of each. Used to make
 * the annotated dumps of {@code docs/formats}, so that every byte of a page is explained and read
 * by a second program.
 */
public final class HexDump {

  private static final int BYTES_PER_LINE = 12;

  private final byte[] file;
  private final ByteSource source = new ByteSource();
  private final StringBuilder text = new StringBuilder();

  /** Starts at the file's first byte. */
  public HexDump(byte[] file) {
    this.file = file;
    source.reset("dump", 0, file, 0, file.length);
  }

  /** The offset of the next field. */
  public int offset() {
    return (int) source.offset();
  }

  /** A line of its own. */
  public HexDump title(String title) {
    text.append(title).append('\n');
    return this;
  }

  /** One byte. */
  public int u8(String meaning) {
    int from = offset();
    int value = source.u8();
    line(from, meaning + " = " + value);
    return value;
  }

  /** Four bytes as a number. */
  public int fixed32(String meaning) {
    int from = offset();
    int value = source.fixed32();
    line(from, meaning + " = " + value);
    return value;
  }

  /** Eight bytes as a number. */
  public long fixed64(String meaning) {
    int from = offset();
    long value = source.fixed64();
    line(from, meaning + " = " + value);
    return value;
  }

  /** A varint. */
  public long varint(String meaning) {
    int from = offset();
    long value = source.varint64();
    line(from, meaning + " = " + value);
    return value;
  }

  /** A varint length and that many bytes of text. */
  public String sized(String meaning) {
    int length = (int) varint("length of " + meaning);
    return length == 0 ? "" : ascii(meaning, length);
  }

  /** Bytes of text. */
  public String ascii(String meaning, int length) {
    int from = offset();
    source.skip(length);
    StringBuilder shown = new StringBuilder();
    for (int i = from; i < from + length; i++) {
      shown.append(file[i] >= ' ' && file[i] < 0x7F ? (char) file[i] : '.');
    }
    line(from, meaning + " \"" + shown + "\"");
    return shown.toString();
  }

  /** Bytes whose value says nothing. */
  public HexDump bytes(String meaning, int length) {
    int from = offset();
    source.skip(length);
    line(from, meaning);
    return this;
  }

  /** The envelope. */
  public HexDump envelope() {
    title("envelope");
    bytes("magic", 8);
    fixed32("kind");
    fixed32("format");
    fixed64("features a reader must know");
    fixed64("features a reader may ignore");
    fixed64("file number");
    fixed32("reserved");
    return bytes("checksum of bytes 0 to 43", 4);
  }

  /** The dump, once every byte was taken. */
  public String text() {
    if (source.remaining() != 0) {
      throw source.damaged(source.remaining() + " bytes are not explained");
    }
    return text.toString();
  }

  private void line(int from, String meaning) {
    int to = offset();
    for (int at = from; at < to; at += BYTES_PER_LINE) {
      StringBuilder hex = new StringBuilder();
      for (int i = at; i < Math.min(to, at + BYTES_PER_LINE); i++) {
        hex.append(String.format("%02x ", file[i]));
      }
      String shown = at == from ? meaning : "";
      text.append(
              String.format("%06x  %-" + 3 * BYTES_PER_LINE + "s %s", at, hex, shown)
                  .stripTrailing())
          .append('\n');
    }
  }
}
