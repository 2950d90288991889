// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.base;

import org.jspecify.annotations.Nullable;

/**
 * Abandoned wait: the thread was interrupted, and still is, or the awaited work fails. A write has
 * no effect then and may be repeated.
 */
public final class StalledException extends StoreException {

  /**
   * Describes the wait and its failure.
   *
   * @param cause null if {@code what} says everything
   */
  public StalledException(String what, @Nullable Throwable cause) {
    super(
        cause == null || cause.getMessage() == null ? what : what + ": " + cause.getMessage(),
        cause);
  }
}
