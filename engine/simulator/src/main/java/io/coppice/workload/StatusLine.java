// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.workload;

import java.io.PrintWriter;
import java.util.concurrent.TimeUnit;
import java.util.function.UnaryOperator;

/**
 * Line that shows the progress of work. On a terminal it is redrawn in place; otherwise, it is a
 * plain line every ten seconds. Used by one thread at a time: callers hold a lock of their own.
 */
public final class StatusLine {

  private static final long PLAIN_NANOS = TimeUnit.SECONDS.toNanos(10);
  private static final String CLEAR_TO_END = "\u001b[K";

  private final PrintWriter out;
  private final boolean terminal;
  private final int columns;
  private final int barCells;
  private long lastPlain;
  private boolean drawn;

  /**
   * Creates a line that shows nothing yet.
   *
   * @param startNanos time of a monotonic clock, the start of the first ten seconds
   * @param terminal whether {@code out} is a terminal
   * @param columns width of the terminal, 0 for no limit
   * @param barCells length of the bar in characters, 0 for none
   */
  public StatusLine(PrintWriter out, boolean terminal, int columns, int barCells, long startNanos) {
    this.out = out;
    this.terminal = terminal;
    this.columns = columns;
    this.barCells = barCells;
    this.lastPlain = startNanos;
  }

  /**
   * Shows the line: on a terminal always, elsewhere once ten seconds have passed since the last
   * one.
   *
   * @param share the completed share of the work, from 0 to 1, which the bar shows
   * @param line makes the line from the bar, which is empty in a plain line
   */
  public void show(long nowNanos, double share, UnaryOperator<String> line) {
    if (terminal) {
      String text = line.apply(bar(share));
      int width = columns == 0 ? text.length() : Math.min(text.length(), columns - 1);
      out.print("\r" + text.substring(0, width) + CLEAR_TO_END);
      out.flush();
      drawn = true;
    } else if (nowNanos - lastPlain >= PLAIN_NANOS) {
      lastPlain = nowNanos;
      out.println(line.apply(""));
      out.flush();
    }
  }

  private String bar(double share) {
    int full = (int) Math.round(Math.min(1, share) * barCells);
    return barCells == 0 ? "" : "█".repeat(full) + "░".repeat(barCells - full) + " ";
  }

  /** Removes the line from a terminal; elsewhere it does nothing. */
  public void erase() {
    if (drawn) {
      out.print("\r" + CLEAR_TO_END);
      out.flush();
      drawn = false;
    }
  }
}
