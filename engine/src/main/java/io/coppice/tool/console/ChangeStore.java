// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.tool.console;

import java.io.IOException;
import java.util.List;

/**
 * Where the changes that were made by the console are kept, a line each, oldest first. Used by one
 * thread at a time.
 */
public interface ChangeStore {

  /** All lines; none where nothing was ever kept. */
  List<String> lines() throws IOException;

  /** Adds a line, durably. */
  void append(String line) throws IOException;
}
