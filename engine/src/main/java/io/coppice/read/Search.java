// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.read;

import io.coppice.memtable.Memtable;
import io.coppice.table.Lookup;
import java.nio.ByteBuffer;

/**
 * What a thread's lookups use again and again, and the value that the last one found: in a memtable
 * or in the lookup's own memory. The memtables must be held until the value was copied.
 */
final class Search {

  final Lookup lookup = new Lookup();

  /** Of the first segment met that is to be merged; 0 if there was none. */
  long group;

  private byte[] scratch = new byte[64];
  private Memtable memtable;
  private int place;

  /** The value is that of an entry in a memtable. */
  void foundIn(Memtable where, int at) {
    memtable = where;
    place = at;
  }

  /** The value is the lookup's. */
  void foundInTable() {
    memtable = null;
  }

  int valueLength() {
    return memtable == null ? lookup.valueLength() : memtable.valueLength(place);
  }

  /** A copy of the value. */
  byte[] value() {
    if (memtable == null) {
      return lookup.value();
    }
    byte[] value = new byte[memtable.valueLength(place)];
    memtable.copyValue(place, value, 0);
    return value;
  }

  /** Copies the value from the target's position on if it fits; returns its length. */
  int copyInto(ByteBuffer target) {
    int length = valueLength();
    if (length <= target.remaining()) {
      if (memtable == null) {
        lookup.copyValue(target);
      } else {
        memtable.copyValue(place, target);
      }
    }
    return length;
  }

  /** Forgets the value, so that no memtable is kept from the collector. */
  void forget() {
    memtable = null;
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
