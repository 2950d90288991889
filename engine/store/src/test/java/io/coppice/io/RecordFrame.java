// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.io;

import io.coppice.base.bytes.Checksum;
import java.util.Arrays;

/** Records of logs as they stand in a file, for tests that follow or spoil what is written. */
public final class RecordFrame {

  /** The bytes before a record's payload. */
  public static final int HEADER_BYTES = RecordLayout.HEADER_BYTES;

  private RecordFrame() {}

  /** The payload of a record that is whole in these bytes; null if it is not. */
  public static byte[] payload(byte[] record) {
    int length = RecordLayout.length(record, 0);
    return length == record.length - HEADER_BYTES
        ? Arrays.copyOfRange(record, HEADER_BYTES, record.length)
        : null;
  }

  /** The same record with another payload. */
  public static byte[] with(byte[] record, byte[] payload, long file, long offset) {
    byte[] changed = Arrays.copyOf(record, HEADER_BYTES + payload.length);
    System.arraycopy(payload, 0, changed, HEADER_BYTES, payload.length);
    int sum = Checksum.of(file, offset + HEADER_BYTES, payload, 0, payload.length);
    RecordLayout.putHeader(
        changed, 0, file, offset, payload.length, sum, RecordLayout.synced(record, 0));
    return changed;
  }
}
