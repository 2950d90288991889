// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.entry;

import io.coppice.base.Bytes;

/** The order of entries: user key ascending as unsigned bytes, then sequence number descending. */
public final class EntryOrder {

  private EntryOrder() {}

  /** Negative, zero or positive as the entry of a stands before, with or behind that of b. */
  public static int compare(EntryCursor a, EntryCursor b) {
    int order = compareKeys(a, b);
    return order != 0 ? order : Long.compare(b.sequence(), a.sequence());
  }

  /** Negative, zero or positive as the user key of a is smaller, equal or greater. */
  public static int compareKeys(EntryCursor a, EntryCursor b) {
    return compareKey(a, b.keyArray(), b.keyOffset(), b.keyLength());
  }

  /**
   * Negative, zero or positive as the user key of a is smaller, equal or greater than the range.
   */
  public static int compareKey(EntryCursor a, byte[] key, int from, int length) {
    return Bytes.compare(a.keyArray(), a.keyOffset(), a.keyLength(), key, from, length);
  }
}
