// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.tool.console;

import java.nio.file.Path;

/** Where the browser of tests is, and where they leave pictures. Safe to share between threads. */
public final class Chromium {

  private Chromium() {}

  /** As {@code -Dconsole.browser} says, else where systems have it. */
  public static Path path() {
    return Path.of(System.getProperty("console.browser", "/usr/bin/chromium"));
  }

  /** As {@code -Dconsole.images} says, else in {@code target}. */
  public static Path images() {
    return Path.of(System.getProperty("console.images", "target/console"));
  }
}
