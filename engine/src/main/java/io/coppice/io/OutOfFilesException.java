// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.io;

import java.io.IOException;

/** No descriptor was left to open a file with. Nothing was opened; later it may work. */
public final class OutOfFilesException extends IOException {

  OutOfFilesException(String name, IOException cause) {
    super(name + " cannot be opened: " + cause.getMessage(), cause);
  }
}
