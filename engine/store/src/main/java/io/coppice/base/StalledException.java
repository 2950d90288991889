// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.base;

import org.jspecify.annotations.Nullable;

/**
 * Thrown if a wait is given up, because the thread was interrupted or the awaited work failed. The
 * interrupt stays set. A write has no effect then and may be repeated.
 */
public final class StalledException extends StoreException {

  /**
   * Describes the wait and its failure.
   *
   * @param what the wait, and the start of the message
   * @param cause failure of the awaited work, which the message quotes; null if {@code what} says
   *     everything
   */
  public StalledException(String what, @Nullable Throwable cause) {
    super(
        cause == null || cause.getMessage() == null ? what : what + ": " + cause.getMessage(),
        cause);
  }
}
