// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.base;

import org.jspecify.annotations.Nullable;

/**
 * The disk has no room for an operation, which has had no effect: a batch that was being written is
 * not there, and will not be there after reopening. Reads go on. Once there is room the same
 * operation works again, without reopening.
 */
public final class DiskFullException extends StoreException {

  private final long neededBytes;
  private final long freeBytes;

  /**
   * Says what there was no room for.
   *
   * @param what the operation, such as {@code "the log"}
   * @param neededBytes what the operation needs
   * @param freeBytes what is free, or -1 if that cannot be told
   */
  public DiskFullException(
      String what, long neededBytes, long freeBytes, @Nullable Throwable cause) {
    super(
        "the disk is full: "
            + what
            + " needs "
            + neededBytes
            + " bytes, "
            + (freeBytes < 0 ? "an unknown number" : freeBytes)
            + " are free; make room, the store then goes on"
            + (cause == null ? "" : " (" + cause.getMessage() + ")"),
        cause);
    this.neededBytes = neededBytes;
    this.freeBytes = freeBytes;
  }

  /** Bytes that the operation needs. */
  public long neededBytes() {
    return neededBytes;
  }

  /** Bytes that were free, or -1 if that could not be told. */
  public long freeBytes() {
    return freeBytes;
  }
}
