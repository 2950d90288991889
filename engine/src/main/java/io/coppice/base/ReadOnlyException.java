// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.base;

/** The store takes no more writes since a write or sync failed; reads go on. Reopen to recover. */
public final class ReadOnlyException extends StoreException {

  /** Says what failed. */
  public ReadOnlyException(String reason, Throwable cause) {
    super("the store is read-only: " + reason + "; reopen it once the disk is well", cause);
  }
}
