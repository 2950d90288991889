// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.table;

import io.coppice.entry.LookupKey;
import io.coppice.table.filter.KeyHash;

/** Lookup keys for tests that search a table. */
public final class LookupKeys {

  private LookupKeys() {}

  public static LookupKey of(byte[] key, long sequence) {
    return of(key, 0, key.length, sequence);
  }

  public static LookupKey of(byte[] key, int offset, int length, long sequence) {
    LookupKey sought = new LookupKey();
    sought.set(key, offset, length, KeyHash.of(key, offset, length), sequence);
    return sought;
  }
}
