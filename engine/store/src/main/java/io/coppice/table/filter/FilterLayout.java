// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.table.filter;

import io.coppice.base.CorruptionException;
import io.coppice.base.bytes.Checksum;
import io.coppice.base.bytes.Coding;
import io.coppice.io.FileHeader;
import io.coppice.io.FileKind;
import java.util.Arrays;

/**
 * Byte layout of the filter file; {@code docs/formats/filters.md} explains each part. The file
 * consists of units of one size. A slot starts at a unit and occupies as many units as it needs.
 * The manifest records the slot of each table.
 *
 * <pre>
 *   file   = envelope (48) header (28) zeros (up to 128) unit*
 *   header   0 unit bytes     u32
 *            4 hash           u32, 1 for binary fuse filters of three places
 *            8 seed           u64
 *           16 stamp          u32, checksum of bytes 0 to 15, file 0, offset 48
 *           20 bits per key   u32, of new tables; slots record their own
 *           24 checksum       u32, of bytes 0 to 23, file 0, offset 48
 *   slot     0 checksum       u32, of the slot's other bytes, salted with the slot's offset
 *            4 stamp          u32, of the header that was current when the slot was written
 *            8 table          u64, file number
 *           16 key digest     u64, the table's
 *           24 keys           u32
 *           28 bits           u32, of a fingerprint
 *           32 seed           u64, of the successful build
 *           40 zeros
 *           64 fingerprints
 * </pre>
 */
public final class FilterLayout {

  static final int HEADER_OFFSET = FileHeader.BYTES;
  static final int HEADER_BYTES = 28;
  public static final int FIRST_UNIT = 128;

  /**
   * Size of a unit in bytes. A slot wastes half a unit on average, 1/200 of a filter for 40,000
   * keys.
   */
  public static final int UNIT_BYTES = 512;

  public static final int SLOT_HEADER_BYTES = 64;

  /**
   * Code of binary fuse filters with three places over {@link KeyHash}. Persisted; never renumber.
   */
  private static final int HASH = 1;

  private static final int UNIT = 0;
  private static final int HASH_CODE = 4;
  private static final int SEED = 8;
  private static final int STAMP = 16;
  private static final int BITS_PER_KEY = 20;
  private static final int HEADER_SUM = 24;

  private static final int SLOT_SUM = 0;
  private static final int SLOT_STAMP = 4;
  private static final int SLOT_TABLE = 8;
  private static final int SLOT_DIGEST = 16;
  private static final int SLOT_KEYS = 24;
  private static final int SLOT_BITS = 28;
  private static final int SLOT_SEED = 32;

  /** File number in checksums; there is one filter file. */
  private static final long FILE_NUMBER = 0;

  private FilterLayout() {}

  public static int slotBytes(FilterGeometry shape) {
    return SLOT_HEADER_BYTES + shape.bytes();
  }

  /** Returns the number of units that a slot occupies. */
  public static int units(FilterGeometry shape) {
    return (slotBytes(shape) + UNIT_BYTES - 1) / UNIT_BYTES;
  }

  public static long offset(int unit) {
    return FIRST_UNIT + (long) unit * UNIT_BYTES;
  }

  /** Returns all bytes before the first unit. */
  public static byte[] preamble(FilterOptions options) {
    byte[] bytes = Arrays.copyOf(FileHeader.of(FileKind.FILTERS, FILE_NUMBER).encode(), FIRST_UNIT);
    Coding.putFixed32(bytes, HEADER_OFFSET + UNIT, UNIT_BYTES);
    Coding.putFixed32(bytes, HEADER_OFFSET + HASH_CODE, HASH);
    Coding.putFixed64(bytes, HEADER_OFFSET + SEED, options.seed());
    Coding.putFixed32(bytes, HEADER_OFFSET + STAMP, headerSum(bytes, STAMP));
    Coding.putFixed32(bytes, HEADER_OFFSET + BITS_PER_KEY, options.bitsPerKey());
    Coding.putFixed32(bytes, HEADER_OFFSET + HEADER_SUM, headerSum(bytes, HEADER_SUM));
    return bytes;
  }

  private static int headerSum(byte[] preamble, int length) {
    return Checksum.of(FILE_NUMBER, HEADER_OFFSET, preamble, HEADER_OFFSET, length);
  }

  /**
   * Returns the options of a file's header; null if the header is damaged.
   *
   * @throws io.coppice.base.VersionException if the file has a newer format
   * @param preamble all bytes before the first unit
   */
  public static FilterOptions options(String file, byte[] preamble) {
    try {
      FileHeader.decode(file, preamble, FileKind.FILTERS, FILE_NUMBER);
      FilterOptions options =
          new FilterOptions(
              Coding.fixed32(preamble, HEADER_OFFSET + BITS_PER_KEY),
              Coding.fixed64(preamble, HEADER_OFFSET + SEED));
      return Arrays.equals(preamble, preamble(options)) ? options : null;
    } catch (CorruptionException | IllegalArgumentException e) {
      return null;
    }
  }

  /** Returns the stamp that ties slots to their header. */
  public static int stamp(byte[] preamble) {
    return Coding.fixed32(preamble, HEADER_OFFSET + STAMP);
  }

  /**
   * Fills in the header of a slot whose fingerprints are complete.
   *
   * @param bytes the whole slot
   * @param stamp stamp of the file's present header, see {@link #stamp}
   * @param table the table's file number
   * @param keyDigest digest of the table's keys, see {@link KeyHash#addToDigest}
   * @param seed result of {@link FilterBuilder#seed}
   */
  public static void sealSlot(
      byte[] bytes, FilterSlot slot, int stamp, long table, long keyDigest, long seed) {
    Coding.putFixed32(bytes, SLOT_STAMP, stamp);
    Coding.putFixed64(bytes, SLOT_TABLE, table);
    Coding.putFixed64(bytes, SLOT_DIGEST, keyDigest);
    Coding.putFixed32(bytes, SLOT_KEYS, slot.keys());
    Coding.putFixed32(bytes, SLOT_BITS, slot.bits());
    Coding.putFixed64(bytes, SLOT_SEED, seed);
    Coding.putFixed32(bytes, SLOT_SUM, slotSum(bytes, offset(slot.unit())));
  }

  /**
   * Returns whether the slot is undamaged and was built from exactly the keys of this table.
   *
   * @param stamp stamp of the file's present header, see {@link #stamp}
   * @param table the table's file number
   * @param keyDigest digest of the table's keys, see {@link KeyHash#addToDigest}
   */
  public static boolean isSlot(
      byte[] bytes, FilterSlot slot, int stamp, long table, long keyDigest) {
    return isSound(bytes, offset(slot.unit()), stamp)
        && Coding.fixed64(bytes, SLOT_TABLE) == table
        && Coding.fixed64(bytes, SLOT_DIGEST) == keyDigest
        && Coding.fixed32(bytes, SLOT_KEYS) == slot.keys()
        && Coding.fixed32(bytes, SLOT_BITS) == slot.bits();
  }

  /** Returns the seed of an undamaged slot. */
  public static long seed(byte[] bytes) {
    return Coding.fixed64(bytes, SLOT_SEED);
  }

  /**
   * Returns the slot that starts at this unit according to its header alone, {@link
   * FilterSlot#NONE} if the header is not one of a slot.
   *
   * @param header at least the first {@link #SLOT_HEADER_BYTES} of the slot
   * @param stamp stamp of the file's present header, see {@link #stamp}
   */
  public static FilterSlot slot(byte[] header, int unit, int stamp) {
    if (Coding.fixed32(header, SLOT_STAMP) != stamp) {
      return FilterSlot.NONE;
    }
    try {
      return new FilterSlot(
          unit, Coding.fixed32(header, SLOT_BITS), Coding.fixed32(header, SLOT_KEYS));
    } catch (IllegalArgumentException e) {
      return FilterSlot.NONE;
    }
  }

  public static boolean isSound(byte[] bytes, long offset, int stamp) {
    return Coding.fixed32(bytes, SLOT_SUM) == slotSum(bytes, offset)
        && Coding.fixed32(bytes, SLOT_STAMP) == stamp;
  }

  /** Returns a description of an undamaged slot for people. */
  public static String text(byte[] bytes) {
    return FileKind.TABLE.fileName(Coding.fixed64(bytes, SLOT_TABLE))
        + ", "
        + Coding.fixed32(bytes, SLOT_KEYS)
        + " keys, "
        + Coding.fixed32(bytes, SLOT_BITS)
        + " bits, key digest "
        + Long.toHexString(Coding.fixed64(bytes, SLOT_DIGEST));
  }

  private static int slotSum(byte[] bytes, long offset) {
    return Checksum.of(FILE_NUMBER, offset, bytes, SLOT_STAMP, bytes.length - SLOT_STAMP);
  }
}
