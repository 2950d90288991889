// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.workload;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;

/** Queries about the terminal of this process. */
public final class Terminal {

  private static final int STANDARD_ERROR = 2;
  private static final int DEFAULT_COLUMNS = 80;

  private Terminal() {}

  /** Returns whether standard error is a terminal. */
  public static boolean isInteractive() {
    return is(STANDARD_ERROR);
  }

  /**
   * Returns whether a descriptor of the process is a terminal that can redraw a line. The answer is
   * false without {@code /proc}, as on macOS.
   */
  public static boolean is(int descriptor) {
    if ("dumb".equals(System.getenv("TERM"))) {
      return false;
    }
    try {
      return Path.of("/proc/self/fd/" + descriptor)
          .toRealPath()
          .toString()
          .matches("/dev/(pts/|tty).*");
    } catch (IOException e) {
      return false;
    }
  }

  /**
   * Returns the width of the terminal in columns, or 80 if it is unknown. It runs {@code stty} and
   * waits for it.
   */
  public static int columns() {
    try {
      Process stty = new ProcessBuilder("sh", "-c", "stty size < /dev/tty").start();
      String size = new String(stty.getInputStream().readAllBytes(), StandardCharsets.US_ASCII);
      int columns = Integer.parseInt(size.strip().split(" ")[1]);
      return columns > 0 ? columns : DEFAULT_COLUMNS;
    } catch (IOException | RuntimeException e) {
      return DEFAULT_COLUMNS;
    }
  }
}
