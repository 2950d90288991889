// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.base;

import org.jspecify.annotations.Nullable;

/**
 * A call gave up waiting: its thread was interrupted, and still is, or what it waited for fails. A
 * write has had no effect then, and may be tried again.
 */
public final class StalledException extends StoreException {

  /**
   * Says what was waited for, and why in vain.
   *
   * @param cause null if {@code what} says all
   */
  public StalledException(String what, @Nullable Throwable cause) {
    super(
        cause == null || cause.getMessage() == null ? what : what + ": " + cause.getMessage(),
        cause);
  }
}
