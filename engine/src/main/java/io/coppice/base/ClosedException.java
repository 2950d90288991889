// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.base;

/** A closed store, snapshot or cursor was used. The message names it. */
public final class ClosedException extends StoreException {

  /** Says that {@code what} is closed. */
  public ClosedException(String what) {
    super(what + " is closed", null);
  }
}
