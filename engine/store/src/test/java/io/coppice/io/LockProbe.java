// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.io;

import io.coppice.base.LockedException;
import io.coppice.io.disk.RealDisk;
import java.io.IOException;
import java.nio.file.Path;

/**
 * Opens a directory in a process of its own: prints "open" and holds it until its input ends, or
 * prints why it could not.
 */
public final class LockProbe {

  private LockProbe() {}

  /** Takes the directory. */
  public static void main(String[] arguments) throws IOException {
    try (RealDisk disk = RealDisk.open(Path.of(arguments[0]))) {
      System.out.println("open " + disk.describe());
      while (System.in.read() >= 0) {
        continue;
      }
    } catch (LockedException e) {
      System.out.println(e.getMessage());
    }
  }
}
