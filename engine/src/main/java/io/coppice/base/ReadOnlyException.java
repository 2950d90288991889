// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.base;

import java.io.IOException;
import org.jspecify.annotations.Nullable;

/**
 * The store takes no writes: none any more, since a write or sync failed, until it is reopened; or
 * none at all, since it was opened for reading. Reads go on.
 */
public final class ReadOnlyException extends StoreException {

  /** Says what failed. */
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

  /** Of a store that was never open for writing. */
  public static ReadOnlyException openForReading(String directory) {
    return new ReadOnlyException(
        null, directory + " was opened for reading, which changes nothing; open it by Store.open");
  }
}
