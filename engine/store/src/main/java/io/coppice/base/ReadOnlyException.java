// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.base;

import java.io.IOException;
import org.jspecify.annotations.Nullable;

/**
 * Thrown by writes to a store that takes none: after a failed write or sync until it is reopened,
 * or always if it was opened for reading. Reads continue.
 */
public final class ReadOnlyException extends StoreException {

  /**
   * Describes the failure that ended writes.
   *
   * @param reason the failed operation
   * @param cause its failure, which decides about the advice in the message, or null
   */
  public ReadOnlyException(String reason, @Nullable Throwable cause) {
    this(cause, "the store is read-only: " + reason + "; " + cure(cause));
  }

  private static String cure(@Nullable Throwable cause) {
    VirtualMachineError lack = JvmErrors.in(cause);
    if (lack instanceof StackOverflowError) {
      return "the stack of the calling thread was full; reopen the store";
    }
    if (lack != null) {
      return "the heap of the JVM was full; reopen the store once there is room, or raise -Xmx";
    }
    return isOfDisk(cause)
        ? "check the disk and its mount, then reopen the store"
        : "reopen the store; report the cause if it comes back";
  }

  private static boolean isOfDisk(@Nullable Throwable cause) {
    return Causes.first(cause, e -> e instanceof IOException) != null;
  }

  private ReadOnlyException(@Nullable Throwable cause, String message) {
    super(message, cause);
  }

  /** Returns an exception for a store that was opened for reading. */
  public static ReadOnlyException openForReading(String directory) {
    return new ReadOnlyException(
        null, directory + " was opened for reading, which changes nothing; open it by Store.open");
  }
}
