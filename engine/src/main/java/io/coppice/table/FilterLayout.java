// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.table;

import io.coppice.base.Checksum;
import io.coppice.base.Coding;
import io.coppice.base.CorruptionException;
import io.coppice.io.Envelope;
import io.coppice.io.FileKind;
import java.util.Arrays;

/**
 * Where things lie in the file of filters; {@code docs/formats/filters.md} explains each part. All
 * slots have one size, so the file is read in one go and a slot is found by its index.
 *
 * <pre>
 *   file   = envelope (48) header (28) zeros (up to 128) slot*
 *   header   0 slot bytes     u32
 *            4 probes         u32, bits set for a key
 *            8 bits per key   u32
 *           12 keys           u32, for which a slot has room
 *           16 seed           u64
 *           24 checksum       u32, of bytes 0 to 23, file 0, offset 48
 *   slot     0 checksum       u32, of the slot's other bytes, salted with the slot's offset
 *            4 header         u32, the checksum in the header for which the slot was made
 *            8 table          u64, file number
 *           16 key digest     u64, the table's
 *           24 keys           u64
 *           32 zeros
 *           64 bits, in lines of 64 bytes, each of 8 big-endian words
 * </pre>
 */
final class FilterLayout {

  static final int HEADER_OFFSET = Envelope.BYTES;
  static final int HEADER_BYTES = 28;
  static final int FIRST_SLOT = 128;
  static final int SLOT_HEADER_BYTES = 64;

  private static final int SLOT_BYTES = 0;
  private static final int PROBES = 4;
  private static final int BITS_PER_KEY = 8;
  private static final int KEYS = 12;
  private static final int SEED = 16;
  private static final int HEADER_SUM = 24;

  private static final int SLOT_SUM = 0;
  private static final int SLOT_STAMP = 4;
  private static final int SLOT_TABLE = 8;
  private static final int SLOT_DIGEST = 16;
  private static final int SLOT_KEYS = 24;

  /** There is one file of filters. */
  private static final long FILE_NUMBER = 0;

  private FilterLayout() {}

  static int slotBytes(FilterOptions options) {
    return SLOT_HEADER_BYTES + options.filterBytes();
  }

  static long slotOffset(FilterOptions options, int slot) {
    return FIRST_SLOT + (long) slot * slotBytes(options);
  }

  /** All bytes before the first slot. */
  static byte[] preamble(FilterOptions options) {
    byte[] bytes = Arrays.copyOf(Envelope.of(FileKind.FILTERS, FILE_NUMBER).encode(), FIRST_SLOT);
    Coding.putFixed32(bytes, HEADER_OFFSET + SLOT_BYTES, slotBytes(options));
    Coding.putFixed32(bytes, HEADER_OFFSET + PROBES, options.probes());
    Coding.putFixed32(bytes, HEADER_OFFSET + BITS_PER_KEY, options.bitsPerKey());
    Coding.putFixed32(bytes, HEADER_OFFSET + KEYS, options.maxKeys());
    Coding.putFixed64(bytes, HEADER_OFFSET + SEED, options.seed());
    Coding.putFixed32(
        bytes,
        HEADER_OFFSET + HEADER_SUM,
        Checksum.of(FILE_NUMBER, HEADER_OFFSET, bytes, HEADER_OFFSET, HEADER_SUM));
    return bytes;
  }

  /**
   * For which filters a file was laid out; null if that cannot be told.
   *
   * @param preamble all its bytes before the first slot
   */
  static FilterOptions options(String file, byte[] preamble) {
    try {
      Envelope.decode(file, preamble, FileKind.FILTERS, FILE_NUMBER);
      FilterOptions options =
          new FilterOptions(
              Coding.fixed32(preamble, HEADER_OFFSET + BITS_PER_KEY),
              Coding.fixed32(preamble, HEADER_OFFSET + KEYS),
              Coding.fixed64(preamble, HEADER_OFFSET + SEED));
      return options.enabled() && Arrays.equals(preamble, preamble(options)) ? options : null;
    } catch (CorruptionException | IllegalArgumentException e) {
      return null;
    }
  }

  /** What ties slots to the header for which they were made. */
  static int stamp(byte[] preamble) {
    return Coding.fixed32(preamble, HEADER_OFFSET + HEADER_SUM);
  }

  /** Fills in the slot's header once its bits are set. */
  static void sealSlot(
      byte[] bytes, long offset, int stamp, long table, long keyDigest, long keys) {
    Coding.putFixed32(bytes, SLOT_STAMP, stamp);
    Coding.putFixed64(bytes, SLOT_TABLE, table);
    Coding.putFixed64(bytes, SLOT_DIGEST, keyDigest);
    Coding.putFixed64(bytes, SLOT_KEYS, keys);
    Coding.putFixed32(bytes, SLOT_SUM, slotSum(bytes, offset));
  }

  /** True if the slot is sound and was made from exactly the keys of this table. */
  static boolean isSlot(
      byte[] bytes, long offset, int stamp, long table, long keyDigest, long keys) {
    return Coding.fixed32(bytes, SLOT_SUM) == slotSum(bytes, offset)
        && Coding.fixed32(bytes, SLOT_STAMP) == stamp
        && Coding.fixed64(bytes, SLOT_TABLE) == table
        && Coding.fixed64(bytes, SLOT_DIGEST) == keyDigest
        && Coding.fixed64(bytes, SLOT_KEYS) == keys;
  }

  /** Whose a slot is, for people. */
  static String text(byte[] bytes, long offset, int stamp) {
    if (Coding.fixed32(bytes, SLOT_SUM) != slotSum(bytes, offset)
        || Coding.fixed32(bytes, SLOT_STAMP) != stamp) {
      return "not sound, or free";
    }
    return FileKind.TABLE.fileName(Coding.fixed64(bytes, SLOT_TABLE))
        + ", "
        + Coding.fixed64(bytes, SLOT_KEYS)
        + " keys, key digest "
        + Long.toHexString(Coding.fixed64(bytes, SLOT_DIGEST));
  }

  private static int slotSum(byte[] bytes, long offset) {
    return Checksum.of(FILE_NUMBER, offset, bytes, SLOT_STAMP, bytes.length - SLOT_STAMP);
  }
}
