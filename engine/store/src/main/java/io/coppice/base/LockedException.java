// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.base;

/**
 * Refusal to use a directory that another owner holds. The store leaves the directory untouched, or
 * has stopped using it.
 */
public final class LockedException extends StoreException {

  /** Names the directory and its holder. */
  public LockedException(String directory, String holder) {
    this(directory + " is already open, held by " + holder + "; close that store first");
  }

  private LockedException(String message) {
    super(message, null);
  }

  /** Returns an exception for a store whose directory another store took in spite of the lock. */
  public static LockedException lost(String directory) {
    return new LockedException(
        directory
            + " was taken by another store, or exchanged, while this one had it open; what was"
            + " synced before is with that store");
  }
}
