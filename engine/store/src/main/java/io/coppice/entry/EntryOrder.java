// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.entry;

import io.coppice.base.bytes.Bytes;

/** Order of entries: user key ascending as unsigned bytes, then sequence number descending. */
public final class EntryOrder {

  private EntryOrder() {}

  /**
   * Compares the entries of two cursors. The result is negative, zero or positive if the entry of a
   * is before, equal to or after that of b.
   */
  public static int compare(EntryCursor a, EntryCursor b) {
    int order = compareKeys(a, b);
    return order != 0 ? order : Long.compare(b.sequence(), a.sequence());
  }

  /**
   * Compares the user keys of two cursors. The result is negative, zero or positive if that of a is
   * smaller, equal or greater.
   */
  public static int compareKeys(EntryCursor a, EntryCursor b) {
    return compareKey(a, b.keyArray(), b.keyOffset(), b.keyLength());
  }

  /**
   * Compares the user key of a cursor with a range. The result is negative, zero or positive if the
   * key is smaller, equal or greater.
   */
  public static int compareKey(EntryCursor a, byte[] key, int from, int length) {
    return Bytes.compare(a.keyArray(), a.keyOffset(), a.keyLength(), key, from, length);
  }
}
