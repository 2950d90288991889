// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.table;

import io.coppice.base.Bytes;
import io.coppice.entry.Kind;

/**
 * The memory of a point lookup and its result. Made once and used for any number of lookups in any
 * tables, by one thread at a time; a lookup allocates nothing.
 */
public final class Lookup {

  final BlockBuffer buffer = new BlockBuffer();
  final BlockCursor cursor = new BlockCursor();

  /** The sequence number of the entry found. */
  public long sequence() {
    return cursor.sequence();
  }

  /** What the entry found does. */
  public Kind kind() {
    return cursor.kind();
  }

  /** The array that holds the value found; <em>lent until the next lookup</em>. */
  public byte[] valueArray() {
    return cursor.valueArray();
  }

  /** The position of the first byte of the value found. */
  public int valueOffset() {
    return cursor.valueOffset();
  }

  /** The length of the value found; 0 for a deletion. */
  public int valueLength() {
    return cursor.valueLength();
  }

  /** A copy of the value found. */
  public byte[] value() {
    return Bytes.copy(valueArray(), valueOffset(), valueLength());
  }
}
