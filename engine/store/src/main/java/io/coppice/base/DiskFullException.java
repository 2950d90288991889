// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.base;

import org.jspecify.annotations.Nullable;

/**
 * Thrown if the disk has too little space for an operation. The operation has no effect, except
 * that completed steps of a merge stay. An unfinished batch is invisible now and after reopening.
 * Reads continue. Once there is room, the same operation works again without reopening.
 */
public final class DiskFullException extends StoreException {

  private final long neededBytes;
  private final long freeBytes;

  /**
   * Describes the operation that lacks room.
   *
   * @param what the operation, such as {@code "the log"}
   * @param neededBytes bytes that the operation needs
   * @param freeBytes free bytes, or -1 if unknown
   * @param cause failure of the system, which the message quotes, or null
   */
  public DiskFullException(
      String what, long neededBytes, long freeBytes, @Nullable Throwable cause) {
    super(
        "the disk is full: %s needs %s bytes, %s are free; make room, the store then goes on%s"
            .formatted(
                what,
                neededBytes,
                freeBytes < 0 ? "an unknown number" : freeBytes,
                cause == null ? "" : " (" + cause.getMessage() + ")"),
        cause);
    this.neededBytes = neededBytes;
    this.freeBytes = freeBytes;
  }

  /** Returns the bytes that the operation needs. */
  public long neededBytes() {
    return neededBytes;
  }

  /** Returns the bytes that were free, or -1 if unknown. */
  public long freeBytes() {
    return freeBytes;
  }
}
