// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Immutable range of keys in unsigned byte order, from a first key, inclusive, to an end,
 * exclusive. Either bound may be open. Bounds are copied.
 *
 * <pre>{@code
 * KeyRange.all()
 * KeyRange.from(low)            // low and everything after it
 * KeyRange.from(low).to(high)   // low <= key < high
 * KeyRange.prefix(prefix)       // every key that begins with prefix
 * }</pre>
 */
public final class KeyRange {

  private static final KeyRange ALL = new KeyRange(null, null);

  private final byte @Nullable [] from;
  private final byte @Nullable [] to;

  private KeyRange(byte @Nullable [] from, byte @Nullable [] to) {
    this.from = from;
    this.to = to;
  }

  /** Returns the range of all keys. */
  public static KeyRange all() {
    return ALL;
  }

  /** Returns the range of the keys at or after the given one. The bytes are copied. */
  public static KeyRange from(byte[] low) {
    return new KeyRange(low.clone(), null);
  }

  /** Returns the range of the keys that begin with the given bytes. The bytes are copied. */
  public static KeyRange prefix(byte[] prefix) {
    int last = prefix.length - 1;
    while (last >= 0 && prefix[last] == (byte) 0xff) {
      last--;
    }
    if (last < 0) {
      return from(prefix);
    }
    byte[] end = Arrays.copyOf(prefix, last + 1);
    end[last]++;
    return from(prefix).to(end);
  }

  /**
   * Returns the part of this range before the given key. An existing end stays if it is smaller. A
   * key equal to the first one makes the range empty. The bytes are copied.
   *
   * @throws IllegalArgumentException if the end is before the first key
   */
  public KeyRange to(byte[] high) {
    if (from != null && Arrays.compareUnsigned(high, from) < 0) {
      throw new IllegalArgumentException(
          "the end of the range (%s bytes) must not sort before its first key (%s bytes)"
              .formatted(high.length, from.length));
    }
    return to != null && Arrays.compareUnsigned(to, high) <= 0
        ? this
        : new KeyRange(from, high.clone());
  }

  byte @Nullable [] from() {
    return from;
  }

  byte @Nullable [] to() {
    return to;
  }
}
