// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.base;

/**
 * A call gave up waiting: its thread was interrupted, and still is, or what it waited for fails. A
 * write has had no effect then, and may be tried again.
 */
public final class StalledException extends StoreException {

  /** Says what was waited for, and why in vain. */
  public StalledException(String what, Throwable cause) {
    super(cause.getMessage() == null ? what : what + ": " + cause.getMessage(), cause);
  }
}
