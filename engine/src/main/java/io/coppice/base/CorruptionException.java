// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.base;

import org.jspecify.annotations.Nullable;

/** Bytes on disk are not what was written. They are never returned as data. */
public final class CorruptionException extends StoreException {

  private final String file;
  private final long offset;

  /**
   * Describes the damage.
   *
   * @param file the file's name inside the store's directory
   * @param offset bytes from the file's start to the damaged unit
   * @param detail what was expected and what was found
   */
  public CorruptionException(String file, long offset, String detail) {
    this(file, offset, detail, null);
  }

  /** As above, with the failure that uncovered it. */
  public CorruptionException(String file, long offset, String detail, @Nullable Throwable cause) {
    super(file + " is damaged at offset " + offset + ": " + detail, cause);
    this.file = file;
    this.offset = offset;
  }

  /** The file's name inside the store's directory. */
  public String file() {
    return file;
  }

  /** Bytes from the file's start to the damaged unit. */
  public long offset() {
    return offset;
  }
}
