// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.bench.ycsb;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import site.ycsb.ByteArrayByteIterator;
import site.ycsb.ByteIterator;

/**
 * Codec of a record of fields as one value: for each field the length of its name, the name, the
 * length of its value, and the value. Lengths are big-endian, two bytes for names and four for
 * values.
 */
final class RecordCodec {

  private static final int LENGTHS = Short.BYTES + Integer.BYTES;

  private RecordCodec() {}

  static byte[] encode(Map<String, byte[]> fields) {
    int length = 0;
    for (Map.Entry<String, byte[]> field : fields.entrySet()) {
      length += LENGTHS + field.getKey().length() + field.getValue().length;
    }
    ByteBuffer record = ByteBuffer.allocate(length);
    fields.forEach(
        (name, value) -> {
          record.putShort((short) name.length()).put(name.getBytes(StandardCharsets.US_ASCII));
          record.putInt(value.length).put(value);
        });
    return record.array();
  }

  /** Returns all fields of an encoded record by name. Names must be ASCII. */
  static Map<String, byte[]> decode(byte[] bytes) {
    Map<String, byte[]> fields = new LinkedHashMap<>();
    ByteBuffer record = ByteBuffer.wrap(bytes);
    while (record.hasRemaining()) {
      byte[] name = new byte[record.getShort()];
      record.get(name);
      byte[] value = new byte[record.getInt()];
      record.get(value);
      fields.put(new String(name, StandardCharsets.US_ASCII), value);
    }
    return fields;
  }

  /**
   * Decodes some fields into a map.
   *
   * @param wanted names of the fields; null for all, as in YCSB
   */
  static void decode(byte[] bytes, Set<String> wanted, Map<String, ByteIterator> into) {
    decode(bytes)
        .forEach(
            (name, value) -> {
              if (wanted == null || wanted.contains(name)) {
                into.put(name, new ByteArrayByteIterator(value));
              }
            });
  }
}
