// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.read;

import io.coppice.base.Bytes;
import io.coppice.entry.Expiry;
import io.coppice.memtable.Memtable;
import io.coppice.table.Lookup;
import java.nio.ByteBuffer;
import java.util.Arrays;

/**
 * What a thread's lookups use again and again, and the value that the last one found: in a memtable
 * or in the lookup's own memory. The memtables must be held until the value was copied.
 */
final class Search {

  final Lookup lookup = new Lookup();

  /** For keys that have more than one version to look at. */
  final Gathering gathering = new Gathering(this);

  /** Of the first segment met that is to be merged; 0 if there was none. */
  long group;

  private byte[] scratch = new byte[64];
  private Memtable memtable;
  private int place;

  /** Bytes in front of the value. */
  private int hidden;

  /** A value that was made by combining; null if it is stored somewhere. */
  private byte[] made;

  /** The value is that of an entry in a memtable. */
  void foundIn(Memtable where, int at) {
    memtable = where;
    place = at;
    hidden = 0;
    made = null;
  }

  /** The value is the lookup's. */
  void foundInTable() {
    memtable = null;
    hidden = 0;
    made = null;
  }

  /** The value is this one. */
  void made(byte[] value) {
    memtable = null;
    hidden = 0;
    made = value;
  }

  /** False if the entry found is past its end; else its value is what stands behind that. */
  boolean lives(long nowMillis) {
    if (memtable == null) {
      hidden = Expiry.BYTES;
      return !Expiry.isPast(lookup.valueArray(), lookup.valueOffset(), nowMillis);
    }
    byte[] whole = value(memtable, place);
    made = Arrays.copyOfRange(whole, Expiry.BYTES, whole.length);
    return !Expiry.isPast(whole, 0, nowMillis);
  }

  int valueLength() {
    if (made != null) {
      return made.length;
    }
    return (memtable == null ? lookup.valueLength() : memtable.valueLength(place)) - hidden;
  }

  /** A copy of the value. */
  byte[] value() {
    if (made != null) {
      return made;
    }
    if (memtable == null) {
      int from = lookup.valueOffset() + hidden;
      return Bytes.copy(lookup.valueArray(), from, lookup.valueLength() - hidden);
    }
    return value(memtable, place);
  }

  private static byte[] value(Memtable memtable, int place) {
    byte[] value = new byte[memtable.valueLength(place)];
    memtable.copyValue(place, value, 0);
    return value;
  }

  /** Copies the value from the target's position on if it fits; returns its length. */
  int copyInto(ByteBuffer target) {
    int length = valueLength();
    if (length <= target.remaining()) {
      if (made != null) {
        target.put(target.position(), made);
      } else if (memtable == null) {
        target.put(target.position(), lookup.valueArray(), lookup.valueOffset() + hidden, length);
      } else {
        memtable.copyValue(place, target);
      }
    }
    return length;
  }

  /** Forgets the value, so that no memtable is kept from the collector. */
  void forget() {
    memtable = null;
    made = null;
  }

  /** The bytes of a key that no array shows, from position 0; lent until the next call. */
  byte[] copyOf(ByteBuffer key) {
    int length = key.remaining();
    if (scratch.length < length) {
      scratch = new byte[2 * length];
    }
    key.get(key.position(), scratch, 0, length);
    return scratch;
  }
}
