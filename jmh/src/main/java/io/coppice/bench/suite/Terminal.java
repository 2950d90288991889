// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.bench.suite;

import java.io.Console;
import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;

/** What this process may draw on. */
public final class Terminal {

  private static final int DEFAULT_COLUMNS = 80;

  private Terminal() {}

  /** True if a person sees standard output as it comes. */
  public static boolean isInteractive() {
    Console console = System.console();
    if (console == null || "dumb".equals(System.getenv("TERM"))) {
      return false;
    }
    try {
      // From Java 22 a console may exist without a terminal.
      return (boolean) Console.class.getMethod("isTerminal").invoke(console);
    } catch (ReflectiveOperationException e) {
      return true;
    }
  }

  /** Width of the terminal, or 80 where it does not say. */
  public static int columns() {
    try {
      Process stty = new ProcessBuilder("stty", "size").redirectInput(new File("/dev/tty")).start();
      String size = new String(stty.getInputStream().readAllBytes(), StandardCharsets.US_ASCII);
      int columns = Integer.parseInt(size.strip().split(" ")[1]);
      return columns > 0 ? columns : DEFAULT_COLUMNS;
    } catch (IOException | RuntimeException e) {
      return DEFAULT_COLUMNS;
    }
  }
}
