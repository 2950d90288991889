// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.tool.console;

import java.io.IOException;
import java.util.List;

/**
 * A store of the changes that users made through the console, one line each, oldest first. Used by
 * one thread at a time.
 */
public interface ChangeStore {

  /**
   * Returns all lines, oldest first; empty if the store is new.
   *
   * @throws IOException if the store cannot be read
   */
  List<String> lines() throws IOException;

  /**
   * Adds a line durably, and waits until it is on disk.
   *
   * @throws IOException if the line could not be saved
   */
  void append(String line) throws IOException;
}
