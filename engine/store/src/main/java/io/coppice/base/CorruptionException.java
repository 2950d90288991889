// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.base;

import org.jspecify.annotations.Nullable;

/** Damage on disk: bytes differ from those written. Damaged bytes are never returned as data. */
public final class CorruptionException extends StoreException {

  private final String file;
  private final long offset;

  /**
   * Describes the damage of a unit.
   *
   * @param file the file's name inside the store's directory
   * @param offset bytes from the file's start to the damaged unit
   * @param detail the expected and the found state
   */
  public CorruptionException(String file, long offset, String detail) {
    this(file, offset, detail, null);
  }

  /**
   * Describes the damage of a unit.
   *
   * @param cause the failure that uncovered it, or null
   */
  public CorruptionException(String file, long offset, String detail, @Nullable Throwable cause) {
    super(file + " is damaged at offset " + offset + ": " + detail, cause);
    this.file = file;
    this.offset = offset;
  }

  private CorruptionException(String message, String file, long offset, @Nullable Throwable cause) {
    super(message, cause);
    this.file = file;
    this.offset = offset;
  }

  /** Returns an exception about the same damage whose message describes other damage as well. */
  CorruptionException withMessage(String message) {
    return new CorruptionException(message, file, offset, getCause());
  }

  /** Returns the file's name inside the store's directory. */
  public String file() {
    return file;
  }

  /** Returns the bytes from the file's start to the damaged unit. */
  public long offset() {
    return offset;
  }
}
