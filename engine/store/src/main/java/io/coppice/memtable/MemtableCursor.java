// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.memtable;

import io.coppice.base.ClosedException;
import io.coppice.base.bytes.Bytes;
import io.coppice.entry.EntryCursor;
import io.coppice.entry.EntryKind;

/**
 * Cursor over a memtable. It copies the key on each move, and the value on request. Used by one
 * thread.
 */
final class MemtableCursor implements EntryCursor {

  private static final int FIRST_KEY_BYTES = 64;
  private static final int NO_ENTRY = 0;

  /** Kind that sorts a position before all entries with its sequence number. */
  private static final int LAST_KIND = 0xFF;

  /**
   * Number of entries whose memory a scan accesses at once: as many as a processor has cache misses
   * in flight.
   */
  private static final int FETCHED_ENTRIES = 16;

  private final Memtable table;
  private final EntryList list;
  private final boolean retained;
  private int place = NO_ENTRY;
  private byte[] key = new byte[FIRST_KEY_BYTES];
  private int keyLength;
  private byte[] value = Bytes.EMPTY;
  private int valueOf = NO_ENTRY;
  private boolean closed;
  private int movesToFetch = FETCHED_ENTRIES;

  /**
   * Sum of the values that were read ahead. It is stored only so that the JVM keeps those reads.
   */
  private long fetched;

  /**
   * Creates an unpositioned cursor.
   *
   * @param retained whether {@link #close} releases a reference
   */
  MemtableCursor(Memtable table, EntryList list, boolean retained) {
    this.table = table;
    this.list = list;
    this.retained = retained;
  }

  @Override
  public boolean valid() {
    return place != NO_ENTRY;
  }

  @Override
  public void first() {
    checkOpen();
    moveTo(list.first());
  }

  @Override
  public void last() {
    checkOpen();
    moveTo(list.last());
  }

  @Override
  public void seek(byte[] target, int offset, int length, long sequence) {
    checkOpen();
    moveTo(list.seek(target, offset, length, EntryNodeLayout.trailer(sequence, LAST_KIND)));
  }

  @Override
  public void seekBefore(byte[] target, int offset, int length, long sequence) {
    checkOpen();
    moveTo(list.seekBefore(target, offset, length, EntryNodeLayout.trailer(sequence, LAST_KIND)));
  }

  @Override
  public void next() {
    checkOpen();
    if (--movesToFetch == 0) {
      movesToFetch = FETCHED_ENTRIES;
      fetched += list.fetch(place, FETCHED_ENTRIES);
    }
    moveTo(list.next(place));
  }

  @Override
  public void prev() {
    checkOpen();
    long trailer = EntryNodeLayout.trailer(table.sequence(place), table.kind(place).code());
    moveTo(list.seekBefore(key, 0, keyLength, trailer));
  }

  private void moveTo(int target) {
    place = target;
    valueOf = NO_ENTRY;
    if (target == NO_ENTRY) {
      return;
    }
    keyLength = table.keyLength(target);
    if (key.length < keyLength) {
      key = new byte[Math.max(keyLength, 2 * key.length)];
    }
    table.copyKey(target, keyLength, key);
  }

  @Override
  public byte[] keyArray() {
    return key;
  }

  @Override
  public int keyOffset() {
    return 0;
  }

  @Override
  public int keyLength() {
    return keyLength;
  }

  @Override
  public long sequence() {
    checkOpen();
    return table.sequence(place);
  }

  @Override
  public EntryKind kind() {
    checkOpen();
    return table.kind(place);
  }

  @Override
  public byte[] valueArray() {
    checkOpen();
    if (valueOf != place) {
      int length = table.valueLength(place);
      if (value.length < length) {
        value = new byte[Math.max(length, (int) Math.min(2L * value.length, 1 << 20))];
      }
      table.copyValue(place, value, 0);
      valueOf = place;
    }
    return value;
  }

  @Override
  public int valueOffset() {
    return 0;
  }

  @Override
  public int valueLength() {
    checkOpen();
    return table.valueLength(place);
  }

  @Override
  public void close() {
    if (!closed) {
      closed = true;
      place = NO_ENTRY;
      if (retained) {
        table.release();
      }
    }
  }

  private void checkOpen() {
    if (closed) {
      throw new ClosedException("the memtable's cursor");
    }
  }
}
