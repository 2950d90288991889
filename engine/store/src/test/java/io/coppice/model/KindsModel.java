// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.model;

import io.coppice.base.MergeOperator;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;

/** What a store of all entry kinds must show: a map whose values may end and have operands. */
public final class KindsModel {

  /** Never ends. */
  public static final long FOREVER = Long.MAX_VALUE;

  /** Appends operands to the base; the order shows in the result. */
  public static final MergeOperator APPEND =
      new MergeOperator() {
        @Override
        public String name() {
          return "append";
        }

        @Override
        public byte[] merge(byte[] key, byte[] base, List<byte[]> operands) {
          byte[] value = base == null ? new byte[0] : base;
          for (byte[] operand : operands) {
            int length = value.length;
            value = Arrays.copyOf(value, length + operand.length);
            System.arraycopy(operand, 0, value, length, operand.length);
          }
          return value;
        }
      };

  /** Adds up numbers of eight bytes, so that an operand which counts twice shows. */
  public static final MergeOperator SUM =
      new MergeOperator() {
        @Override
        public String name() {
          return "sum";
        }

        @Override
        public byte[] merge(byte[] key, byte[] base, List<byte[]> operands) {
          long sum = base == null ? 0 : ByteBuffer.wrap(base).getLong();
          for (byte[] operand : operands) {
            sum += ByteBuffer.wrap(operand).getLong();
          }
          return ByteBuffer.allocate(Long.BYTES).putLong(sum).array();
        }
      };

  /** A base, null if the key was absent, and what was merged onto it. */
  private record Entry(byte[] base, long endMillis, List<byte[]> operands) {

    byte[] value(long nowMillis) {
      byte[] living = endMillis > nowMillis ? base : null;
      return operands.isEmpty() ? living : APPEND.merge(null, living, operands);
    }
  }

  private final NavigableMap<byte[], Entry> entries = new TreeMap<>(Arrays::compareUnsigned);

  public KindsModel() {}

  public KindsModel copy() {
    KindsModel copy = new KindsModel();
    copy.entries.putAll(entries);
    return copy;
  }

  public void put(byte[] key, byte[] value, long endMillis) {
    entries.put(key, new Entry(value, endMillis, List.of()));
  }

  public void delete(byte[] key) {
    entries.remove(key);
  }

  public void deleteRange(byte[] from, byte[] to) {
    entries.subMap(from, true, to, false).clear();
  }

  public void merge(byte[] key, byte[] operand) {
    Entry below = entries.getOrDefault(key, new Entry(null, FOREVER, List.of()));
    List<byte[]> operands = new ArrayList<>(below.operands);
    operands.add(operand);
    Entry entry = new Entry(below.base, below.endMillis, operands);
    boolean ends = below.base != null && below.endMillis != FOREVER;
    entries.put(key, ends ? entry : new Entry(entry.value(0), FOREVER, List.of()));
  }

  public byte[] get(byte[] key, long nowMillis) {
    Entry entry = entries.get(key);
    return entry == null ? null : entry.value(nowMillis);
  }

  /** All keys that are there at a point in time. */
  public NavigableMap<byte[], byte[]> at(long nowMillis) {
    NavigableMap<byte[], byte[]> shown = new TreeMap<>(Arrays::compareUnsigned);
    for (Map.Entry<byte[], Entry> entry : entries.entrySet()) {
      byte[] value = entry.getValue().value(nowMillis);
      if (value != null) {
        shown.put(entry.getKey(), value);
      }
    }
    return shown;
  }
}
