// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.base;

/** File format that this version does not read. The file was not changed. */
public final class VersionException extends StoreException {

  /** Names the file, its format and the supported one. */
  public VersionException(String file, String found, String supported) {
    super(file + " has " + found + ", this version reads " + supported, null);
  }
}
