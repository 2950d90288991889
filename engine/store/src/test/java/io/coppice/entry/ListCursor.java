// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.entry;

import io.coppice.base.bytes.Bytes;
import java.util.ArrayList;
import java.util.List;

/**
 * A cursor over entries in a list, for tests of whatever reads cursors. Lends the same key array
 * again and again, so that a reader that keeps it is found out.
 */
public final class ListCursor implements EntryCursor {

  /** One entry; equal if all its bytes are. */
  public record Entry(List<Byte> key, long sequence, EntryKind kind, List<Byte> value) {

    /** An entry of these bytes, which are copied. */
    public static Entry of(byte[] key, long sequence, EntryKind kind, byte[] value) {
      return new Entry(list(key), sequence, kind, list(value));
    }

    /** The entry on which the cursor stands. */
    public static Entry at(EntryCursor cursor) {
      return of(
          Bytes.copy(cursor.keyArray(), cursor.keyOffset(), cursor.keyLength()),
          cursor.sequence(),
          cursor.kind(),
          Bytes.copy(cursor.valueArray(), cursor.valueOffset(), cursor.valueLength()));
    }

    /** The key. */
    public byte[] keyBytes() {
      return array(key);
    }

    /** The value. */
    public byte[] valueBytes() {
      return array(value);
    }

    private static List<Byte> list(byte[] bytes) {
      List<Byte> list = new ArrayList<>();
      for (byte b : bytes) {
        list.add(b);
      }
      return List.copyOf(list);
    }

    private static byte[] array(List<Byte> list) {
      byte[] bytes = new byte[list.size()];
      for (int i = 0; i < bytes.length; i++) {
        bytes[i] = list.get(i);
      }
      return bytes;
    }
  }

  private final List<Entry> entries;
  private final byte[] lent = new byte[256];
  private int index = -1;
  private boolean closed;

  /** Walks these entries, which are in order. */
  public ListCursor(List<Entry> entries) {
    this.entries = List.copyOf(entries);
  }

  /** Compares as all entries are ordered. */
  public static int order(Entry a, Entry b) {
    int order = Bytes.compare(a.keyBytes(), b.keyBytes());
    return order != 0 ? order : Long.compare(b.sequence(), a.sequence());
  }

  /** True once it was closed. */
  public boolean isClosed() {
    return closed;
  }

  @Override
  public boolean valid() {
    return index >= 0 && index < entries.size();
  }

  @Override
  public void first() {
    stand(0);
  }

  @Override
  public void last() {
    stand(entries.size() - 1);
  }

  @Override
  public void seek(byte[] key, int offset, int length, long sequence) {
    stand(place(key, offset, length, sequence));
  }

  @Override
  public void seekBefore(byte[] key, int offset, int length, long sequence) {
    stand(place(key, offset, length, sequence) - 1);
  }

  private int place(byte[] key, int offset, int length, long sequence) {
    byte[] target = Bytes.copy(key, offset, length);
    int i = 0;
    while (i < entries.size() && isBefore(entries.get(i), target, sequence)) {
      i++;
    }
    return i;
  }

  private static boolean isBefore(Entry entry, byte[] key, long sequence) {
    int order = Bytes.compare(entry.keyBytes(), key);
    return order < 0 || (order == 0 && entry.sequence() > sequence);
  }

  @Override
  public void next() {
    assert valid();
    stand(index + 1);
  }

  @Override
  public void prev() {
    assert valid();
    stand(index - 1);
  }

  private void stand(int target) {
    assert !closed;
    index = target;
    if (valid()) {
      byte[] key = entries.get(index).keyBytes();
      System.arraycopy(key, 0, lent, 1, key.length);
    }
  }

  @Override
  public byte[] keyArray() {
    return lent;
  }

  @Override
  public int keyOffset() {
    return 1;
  }

  @Override
  public int keyLength() {
    return entries.get(index).key().size();
  }

  @Override
  public long sequence() {
    return entries.get(index).sequence();
  }

  @Override
  public EntryKind kind() {
    return entries.get(index).kind();
  }

  @Override
  public byte[] valueArray() {
    return entries.get(index).valueBytes();
  }

  @Override
  public int valueOffset() {
    return 0;
  }

  @Override
  public int valueLength() {
    return entries.get(index).value().size();
  }

  @Override
  public void close() {
    closed = true;
  }
}
