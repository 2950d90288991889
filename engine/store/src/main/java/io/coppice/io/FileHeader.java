// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.io;

import io.coppice.base.CorruptionException;
import io.coppice.base.VersionException;
import io.coppice.base.bytes.Checksum;
import io.coppice.base.bytes.Coding;
import java.io.IOException;

/**
 * Header of each kind of file in {@link FileKind}: the kind, the format and the number of the file.
 * The layout of the header itself never changes, so any version can distinguish a newer file from a
 * damaged one.
 *
 * <pre>
 *  0  magic         89 43 50 43 0D 0A 1A 0A
 *  8  kind          u32, {@link FileKind}
 * 12  format        u32, from 1
 * 16  must          u64, feature bits that a reader must know
 * 24  may           u64, feature bits that a reader may ignore
 * 32  file number   u64
 * 40  reserved      u32, zero
 * 44  checksum      u32, {@link Checksum} of bytes 0 to 43 at offset 0 of this file number
 * </pre>
 *
 * @param kind kind of the file
 * @param format format of the bytes after the header
 * @param must feature bits that a reader must know, all known to this version
 * @param may feature bits that a reader may ignore
 * @param number the file's number, 0 for kinds with a single file
 */
public record FileHeader(FileKind kind, int format, long must, long may, long number) {

  /** Length of the header in bytes; the file's content starts after it. */
  public static final int BYTES = 48;

  private static final long MAGIC = 0x0A1A0A0D43504389L;
  private static final int KIND = 8;
  private static final int FORMAT = 12;
  private static final int MUST = 16;
  private static final int MAY = 24;
  private static final int NUMBER = 32;
  private static final int RESERVED = 40;
  private static final int CHECKSUM = 44;

  /** Feature bit of tables: some blocks have padding. This version knows no other bit. */
  public static final long PADDED_BLOCKS = 1;

  /** Returns the header of a new file in the first format, without feature bits. */
  public static FileHeader of(FileKind kind, long number) {
    return new FileHeader(kind, FileKind.FIRST_FORMAT, 0, 0, number);
  }

  /** Returns this header with another format. */
  FileHeader in(int other) {
    return new FileHeader(kind, other, must, may, number);
  }

  /** Returns this header with feature bits that its reader must know. */
  public FileHeader needing(long features) {
    return new FileHeader(kind, format, features, may, number);
  }

  /** Returns the first {@value #BYTES} bytes of the file. */
  public byte[] encode() {
    byte[] bytes = new byte[BYTES];
    Coding.putFixed64(bytes, 0, MAGIC);
    Coding.putFixed32(bytes, KIND, kind.code());
    Coding.putFixed32(bytes, FORMAT, format);
    Coding.putFixed64(bytes, MUST, must);
    Coding.putFixed64(bytes, MAY, may);
    Coding.putFixed64(bytes, NUMBER, number);
    Coding.putFixed32(bytes, CHECKSUM, Checksum.of(number, 0, bytes, 0, CHECKSUM));
    return bytes;
  }

  /**
   * Reads the header of a file with a known kind and number.
   *
   * @throws CorruptionException if the header is damaged, or belongs to another file
   * @throws VersionException if the header is undamaged, but has a format or feature bits that this
   *     version lacks
   * @throws IOException if the file cannot be read
   */
  public static FileHeader read(Disk.InputFile file, FileKind kind, long number)
      throws IOException {
    if (file.length() < BYTES) {
      throw damaged(file, BYTES + " bytes of envelope were expected, found " + file.length());
    }
    byte[] bytes = new byte[BYTES];
    file.read(0, bytes, 0, BYTES);
    return decode(file.name(), bytes, kind, number);
  }

  /**
   * Decodes a header from bytes already read, with the exceptions of {@link #read}.
   *
   * @param name the file's name for messages
   * @param bytes at least the first {@value #BYTES} bytes of the file
   */
  public static FileHeader decode(String name, byte[] bytes, FileKind kind, long number) {
    if (Coding.fixed64(bytes, 0) != MAGIC) {
      throw new CorruptionException(
          name,
          0,
          String.format(
              "expected file magic %016x, found %016x; run `coppice-tool store verify`",
              MAGIC, Coding.fixed64(bytes, 0)));
    }
    long foundNumber = Coding.fixed64(bytes, NUMBER);
    int expected = Checksum.of(foundNumber, 0, bytes, 0, CHECKSUM);
    int found = Coding.fixed32(bytes, CHECKSUM);
    if (found != expected) {
      throw new CorruptionException(
          name,
          0,
          String.format("envelope checksum %08x was expected, found %08x", expected, found));
    }
    int code = Coding.fixed32(bytes, KIND);
    if (code != kind.code() || foundNumber != number) {
      throw new CorruptionException(
          name,
          0,
          String.format(
              "kind %d number %d was expected, found kind %d number %d: a misplaced file",
              kind.code(), number, code, foundNumber));
    }
    int format = Coding.fixed32(bytes, FORMAT);
    long must = Coding.fixed64(bytes, MUST);
    int newest = kind.newestFormat();
    if (format < FileKind.FIRST_FORMAT || format > newest) {
      throw new VersionException(
          name, "format " + format, "formats " + FileKind.FIRST_FORMAT + " to " + newest);
    }
    long known = kind == FileKind.TABLE ? PADDED_BLOCKS : 0;
    if ((must & ~known) != 0 || Coding.fixed32(bytes, RESERVED) != 0) {
      throw new VersionException(
          name,
          "features " + Long.toHexString(must) + " (hex)",
          "features " + Long.toHexString(known));
    }
    return new FileHeader(kind, format, must, Coding.fixed64(bytes, MAY), number);
  }

  /**
   * Returns whether the bytes from {@code at} on are a header with a matching checksum, of any
   * file.
   */
  static boolean isSound(byte[] bytes, int at) {
    long number = Coding.fixed64(bytes, at + NUMBER);
    return Coding.fixed64(bytes, at) == MAGIC
        && Coding.fixed32(bytes, at + CHECKSUM) == Checksum.of(number, 0, bytes, at, CHECKSUM);
  }

  private static CorruptionException damaged(Disk.InputFile file, String detail) {
    return new CorruptionException(file.name(), 0, detail);
  }
}
