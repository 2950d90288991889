// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.docs;

import java.nio.file.Path;

/** Jars of the modules below {@code engine/}, as this build packaged them. */
final class Jars {

  private static final String VERSION = System.getProperty("coppice.version");

  private Jars() {}

  /**
   * Returns the jar of a module.
   *
   * @param module the directory of the module
   * @param artifact the name of the jar without its version
   */
  static Path of(String module, String artifact) {
    return Path.of("..", module, "target", artifact + "-" + VERSION + ".jar");
  }
}
