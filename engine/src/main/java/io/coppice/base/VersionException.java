// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.base;

/** A file is of a format this version does not read. Nothing in it was changed. */
public final class VersionException extends StoreException {

  /** Says which file, what it is and what is supported. */
  public VersionException(String file, String found, String supported) {
    super(file + " has " + found + ", this version reads " + supported, null);
  }
}
