// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.base;

/**
 * A write would have had to wait for what does not come to an end. The write has had no effect; it
 * may be tried again.
 */
public final class StalledException extends StoreException {

  /** Says what was waited for, and why in vain. */
  public StalledException(String what, Throwable cause) {
    super(what + ": " + cause.getMessage(), cause);
  }
}
