// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.base;

/** Another owner holds the directory. Nothing in it was touched. */
public final class LockedException extends StoreException {

  /** Says which directory is held, and by whom. */
  public LockedException(String directory, String holder) {
    super(directory + " is already open, held by " + holder + "; close that store first", null);
  }
}
