// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.io;

import java.io.IOException;

/**
 * Failure to open a file because the process has no descriptor left. Nothing was opened; a later
 * attempt may succeed.
 */
public final class TooManyOpenFilesException extends IOException {

  public TooManyOpenFilesException(String name, IOException cause) {
    super(name + " cannot be opened: " + cause.getMessage(), cause);
  }
}
