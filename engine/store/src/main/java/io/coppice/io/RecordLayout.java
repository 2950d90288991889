// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.io;

import io.coppice.base.Limits;
import io.coppice.base.bytes.Checksum;
import io.coppice.base.bytes.Coding;

/**
 * Byte layout of one record of a log: a header and a payload. Records follow each other without a
 * gap, from the end of the file header.
 *
 * <pre>
 *  0  length        u32, bytes of payload, at least 1
 *  4  payload sum   u32, {@link Checksum} of the payload at its own offset
 *  8  synced        u64, the file's bytes before this offset were durable when this was written
 * 16  header sum    u32, {@link Checksum} of bytes 0 to 15 at the record's offset
 * 20  payload
 * </pre>
 */
public final class RecordLayout {

  static final int HEADER_BYTES = 20;

  /** Size of a disk sector in bytes. A torn write loses whole sectors. */
  public static final int SECTOR_BYTES = 512;

  /**
   * Number of bytes at the begin of each sector that a copy stores last, so that a torn sector has
   * zeros there.
   */
  public static final int HELD_BYTES = Long.BYTES;

  private static final int PAYLOAD_SUM = 4;
  private static final int SYNCED = 8;
  private static final int HEADER_SUM = 16;

  private RecordLayout() {}

  static void putHeader(
      byte[] bytes, int at, long file, long offset, int length, int payloadSum, long synced) {
    assert length >= 1 && length <= Limits.MAX_RECORD_BYTES : length;
    assert synced >= 0 && synced <= offset : synced + " at " + offset;
    Coding.putFixed32(bytes, at, length);
    Coding.putFixed32(bytes, at + PAYLOAD_SUM, payloadSum);
    Coding.putFixed64(bytes, at + SYNCED, synced);
    Coding.putFixed32(bytes, at + HEADER_SUM, Checksum.of(file, offset, bytes, at, HEADER_SUM));
  }

  /**
   * Returns whether the bytes from {@code at} on are a valid header of a record; its payload may
   * still be damaged or cut off.
   *
   * @param file number of the log's file, which the header's checksum includes
   * @param offset position of the header in the file
   */
  static boolean isHeader(byte[] bytes, int at, long file, long offset) {
    int length = length(bytes, at);
    long synced = synced(bytes, at);
    return length >= 1
        && length <= Limits.MAX_RECORD_BYTES
        && synced >= 0
        && synced <= offset
        && Coding.fixed32(bytes, at + HEADER_SUM)
            == Checksum.of(file, offset, bytes, at, HEADER_SUM);
  }

  /**
   * Returns whether the bytes from {@code at} on are one changed bit away from a valid header of a
   * record.
   *
   * @param file number of the log's file
   * @param offset position of the header in the file
   */
  static boolean isHeaderButForOneBit(byte[] bytes, int at, long file, long offset) {
    return Checksum.oneBitApart(
        Coding.fixed32(bytes, at + HEADER_SUM),
        Checksum.of(file, offset, bytes, at, HEADER_SUM),
        HEADER_SUM);
  }

  static int length(byte[] bytes, int at) {
    return Coding.fixed32(bytes, at);
  }

  static int payloadSum(byte[] bytes, int at) {
    return Coding.fixed32(bytes, at + PAYLOAD_SUM);
  }

  static long synced(byte[] bytes, int at) {
    return Coding.fixed64(bytes, at + SYNCED);
  }
}
