// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.entry;

import io.coppice.base.Limits;

/** Effect of an entry on its key. The codes are persisted; never renumber. */
public enum EntryKind {
  /** The key is absent from this sequence number on. */
  DELETE(0),
  /** The key has this value from this sequence number on. */
  PUT(1),
  /** The merge operator applies this operand to the next older value of the key. */
  MERGE(2),
  /**
   * All keys from the key, inclusive, to the value, exclusive, are absent from this sequence number
   * on. Occurs only in batches and logs; elsewhere {@link RangeDeletions} hold it.
   */
  DELETE_RANGE(3),
  /** A PUT up to a point in time; see {@link Expiry}. */
  EXPIRING(4);

  private final int code;

  EntryKind(int code) {
    this.code = code;
  }

  /** Returns the persisted code, one byte, 0 to 255. */
  public int code() {
    return code;
  }

  /** Returns whether entries have a value; only the deletion of one key has none. */
  public boolean hasValue() {
    return this != DELETE;
  }

  /** Returns the length in bytes of the shortest possible value. */
  public int minValueBytes() {
    return this == EXPIRING ? Expiry.BYTES : 0;
  }

  /** Returns the length in bytes of the longest possible value. */
  public int maxValueBytes() {
    if (this == DELETE_RANGE) {
      return Limits.MAX_KEY_BYTES;
    }
    return hasValue() ? Limits.MAX_VALUE_BYTES : 0;
  }

  /** Returns whether the kind may occur among the entries of memtables and tables. */
  public boolean ofOneKey() {
    return this != DELETE_RANGE;
  }

  /**
   * Returns the kind of a persisted code.
   *
   * @throws IllegalArgumentException if the code is unknown
   */
  public static EntryKind of(int code) {
    EntryKind kind = orNull(code);
    if (kind == null) {
      throw new IllegalArgumentException("unknown entry kind " + code);
    }
    return kind;
  }

  /** Returns the kind of a persisted code, or null if it is unknown. */
  public static EntryKind orNull(int code) {
    return switch (code) {
      case 0 -> DELETE;
      case 1 -> PUT;
      case 2 -> MERGE;
      case 3 -> DELETE_RANGE;
      case 4 -> EXPIRING;
      default -> null;
    };
  }
}
