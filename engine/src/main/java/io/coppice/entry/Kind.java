// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.entry;

/** What an entry does to its key. The codes are persisted; never renumber. */
public enum Kind {
  /** The key is absent from this sequence number on. */
  DELETE(0),
  /** The key has this value from this sequence number on. */
  PUT(1);

  private final int code;

  Kind(int code) {
    this.code = code;
  }

  /**
   * The persisted code, one byte, 0 to 255; 2 (merge operand) and 3 (range delete) are reserved.
   */
  public int code() {
    return code;
  }

  /**
   * The kind of a persisted code.
   *
   * @throws IllegalArgumentException if the code is unknown
   */
  public static Kind of(int code) {
    return switch (code) {
      case 0 -> DELETE;
      case 1 -> PUT;
      default -> throw new IllegalArgumentException("unknown entry kind " + code);
    };
  }
}
