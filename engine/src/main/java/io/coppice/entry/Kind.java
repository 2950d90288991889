// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.entry;

import io.coppice.base.Limits;

/** What an entry does to its key. The codes are persisted; never renumber. */
public enum Kind {
  /** The key is absent from this sequence number on. */
  DELETE(0),
  /** The key has this value from this sequence number on. */
  PUT(1),
  /** The value changes what the key has under it, by the merge operator. */
  MERGE(2),
  /**
   * All keys from the key on and before the value, which is a key too, are absent from this
   * sequence number on. Only in batches and logs: elsewhere {@link RangeDeletions} hold it.
   */
  DELETE_RANGE(3),
  /** As PUT, up to a point in time; see {@link Expiry}. */
  EXPIRING(4);

  private final int code;

  Kind(int code) {
    this.code = code;
  }

  /** The persisted code, one byte, 0 to 255. */
  public int code() {
    return code;
  }

  /** False for a deletion of one key, the only kind without a value. */
  public boolean hasValue() {
    return this != DELETE;
  }

  /** The shortest value there can be. */
  public int minValueBytes() {
    return this == EXPIRING ? Expiry.BYTES : 0;
  }

  /** The longest value there can be. */
  public int maxValueBytes() {
    if (this == DELETE_RANGE) {
      return Limits.MAX_KEY_BYTES;
    }
    return hasValue() ? Limits.MAX_VALUE_BYTES : 0;
  }

  /** True if it may stand among the entries of memtables and tables. */
  public boolean ofOneKey() {
    return this != DELETE_RANGE;
  }

  /**
   * The kind of a persisted code.
   *
   * @throws IllegalArgumentException if the code is unknown
   */
  public static Kind of(int code) {
    Kind kind = orNull(code);
    if (kind == null) {
      throw new IllegalArgumentException("unknown entry kind " + code);
    }
    return kind;
  }

  /** The kind of a persisted code, or null if it is unknown. */
  public static Kind orNull(int code) {
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
