// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.base;

import org.jspecify.annotations.Nullable;

/** Tells a lack of heap or stack from other failures. */
public final class JvmErrors {

  private JvmErrors() {}

  /**
   * Returns the OutOfMemoryError or StackOverflowError that is a problem or caused it, or null. An
   * InternalError is none: the JVM throws it for a mapped page that the device lost. With a full
   * heap the JVM throws one and the same error again and again; a {@code try} statement that meets
   * it twice throws an IllegalArgumentException with that cause.
   */
  public static @Nullable VirtualMachineError in(@Nullable Throwable problem) {
    // Not by Causes, as a predicate may need heap or stack that is not there.
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
