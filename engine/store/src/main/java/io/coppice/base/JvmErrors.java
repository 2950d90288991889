// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.base;

import org.jspecify.annotations.Nullable;

/** Test that distinguishes a lack of heap or stack from other failures. */
public final class JvmErrors {

  private JvmErrors() {}

  /**
   * Returns the OutOfMemoryError or StackOverflowError in the chain of causes, or null. An
   * InternalError does not count, because the JVM throws it for a mapped page that the device lost.
   * With a full heap the JVM throws the same error object repeatedly. If the body and the {@code
   * close} of a try-with-resources statement throw the same error object, the statement throws an
   * IllegalArgumentException with that cause.
   */
  public static @Nullable VirtualMachineError in(@Nullable Throwable problem) {
    // Not through Causes, since a predicate may need heap or stack that is missing.
    Throwable cause = problem;
    for (int i = 0; i < Causes.MOST && cause != null; i++) {
      if (cause instanceof OutOfMemoryError || cause instanceof StackOverflowError) {
        return (VirtualMachineError) cause;
      }
      cause = cause.getCause();
    }
    return null;
  }
}
