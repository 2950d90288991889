// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.base;

/** A use of a closed store, snapshot, cursor or other part, named by the message. */
public final class ClosedException extends StoreException {

  /**
   * Creates an exception for a closed part.
   *
   * @param what name of the part
   */
  public ClosedException(String what) {
    super(what + " is closed", null);
  }
}
