// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.base;

/** Another owner holds the directory. Nothing in it was touched, or is touched any more. */
public final class LockedException extends StoreException {

  /** Says which directory is held, and by whom. */
  public LockedException(String directory, String holder) {
    this(directory + " is already open, held by " + holder + "; close that store first");
  }

  private LockedException(String message) {
    super(message, null);
  }

  /** Of a store that had the directory, until another one took it in spite of the lock. */
  public static LockedException lost(String directory) {
    return new LockedException(
        directory
            + " was taken by another store, or exchanged, while this one had it open; what was"
            + " synced before is with that store");
  }
}
