// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.tool;

import io.coppice.simulator.SimulationProgress;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.function.DoubleSupplier;
import java.util.function.LongSupplier;
import me.tongfei.progressbar.ProgressBar;
import me.tongfei.progressbar.ProgressBarBuilder;
import me.tongfei.progressbar.ProgressBarConsumer;
import me.tongfei.progressbar.ProgressBarRenderer;
import me.tongfei.progressbar.ProgressState;

/**
 * A progress display for work of several parts, which appears after two seconds. On a terminal it
 * is a bar, redrawn in place and removed at the end; otherwise, a plain line every ten seconds.
 * Parts may be reported by any thread.
 */
final class CommandProgress implements AutoCloseable {

  private static final long SILENT_NANOS = TimeUnit.SECONDS.toNanos(2);
  private static final long PLAIN_LINE_NANOS = TimeUnit.SECONDS.toNanos(10);
  private static final int REDRAW_MILLIS = 250;
  private static final int SCALE = 10_000;
  private static final int BAR_CELLS = 24;
  private static final double MIN_FOR_ETA = 0.01;
  private static final int STANDARD_OUTPUT = 1;
  private static final int STANDARD_ERROR = 2;
  private static final String CLEAR_TO_END = "\u001b[K";

  private final PrintWriter err;
  private final boolean terminal;
  private final String name;
  private final double[] weights;
  private final AtomicLongArray parts;
  private final LongSupplier nanos;
  private final long start;
  private final Thread painter = new Thread(this::paint, "coppice-progress");

  // Guarded by this.
  private long lastPlainLine;
  private ProgressBar bar;
  private boolean closed;

  /**
   * Queried for the share of the work; null if parts are reported. Set before the painter starts.
   */
  private DoubleSupplier asked;

  /**
   * Creates a display that draws when {@link #tick} is called.
   *
   * @param weights the amount of work of each part, relative to the others
   */
  CommandProgress(
      PrintWriter err, boolean terminal, String name, double[] weights, LongSupplier nanos) {
    this.err = err;
    this.terminal = terminal;
    this.name = name;
    this.weights = weights.clone();
    this.parts = new AtomicLongArray(weights.length);
    this.nanos = nanos;
    this.start = nanos.getAsLong();
    this.lastPlainLine = start;
  }

  /** Returns a display with a thread that draws from now on. */
  static CommandProgress on(PrintWriter err, String name, double[] weights) {
    CommandProgress line = new CommandProgress(err, isTerminal(), name, weights, System::nanoTime);
    line.painter.setDaemon(true);
    line.painter.start();
    return line;
  }

  /** Returns a drawing display for one part, whose share is queried before each drawing. */
  static CommandProgress on(PrintWriter err, String name, DoubleSupplier share) {
    double[] whole = {1};
    CommandProgress line = new CommandProgress(err, isTerminal(), name, whole, System::nanoTime);
    line.asked = share;
    line.painter.setDaemon(true);
    line.painter.start();
    return line;
  }

  /**
   * Returns a drawing display of one part, for work that prints results while it runs. It draws
   * only if standard error is a terminal and standard output is not.
   */
  static CommandProgress beside(PrintWriter err, String name) {
    CommandProgress line = new CommandProgress(err, true, name, new double[] {1}, System::nanoTime);
    if (isTerminal() && !isTerminal(STANDARD_OUTPUT)) {
      line.painter.setDaemon(true);
      line.painter.start();
    }
    return line;
  }

  /** Returns whether standard error is a terminal. */
  private static boolean isTerminal() {
    return isTerminal(STANDARD_ERROR);
  }

  private static boolean isTerminal(int descriptor) {
    if ("dumb".equals(System.getenv("TERM"))) {
      return false;
    }
    try {
      return Files.readSymbolicLink(Path.of("/proc/self/fd/" + descriptor))
          .toString()
          .matches("/dev/(pts/|tty).*");
    } catch (IOException | UnsupportedOperationException e) {
      return false;
    }
  }

  /** Returns the progress of a part, by its index from 0. */
  SimulationProgress part(int index) {
    return share -> parts.set(index, Math.round(Math.min(1, share) * SCALE));
  }

  /** Draws if it is time to. */
  synchronized void tick() {
    long now = nanos.getAsLong();
    if (closed || now - start < SILENT_NANOS) {
      return;
    }
    if (asked != null) {
      part(0).at(asked.getAsDouble());
    }
    if (terminal) {
      if (bar == null) {
        bar = bar();
      }
      bar.stepTo(done());
    } else if (now - lastPlainLine >= PLAIN_LINE_NANOS) {
      lastPlainLine = now;
      err.println(text(""));
      err.flush();
    }
  }

  private ProgressBar bar() {
    return new ProgressBarBuilder()
        .setInitialMax(SCALE)
        .setUpdateIntervalMillis(REDRAW_MILLIS)
        .continuousUpdate()
        .setRenderer(new Drawing())
        .setConsumer(new Line())
        .build();
  }

  private long done() {
    double sum = 0;
    double weight = 0;
    for (int i = 0; i < weights.length; i++) {
      sum += weights[i] * parts.get(i);
      weight += weights[i];
    }
    return Math.round(sum / weight);
  }

  private String text(String drawing) {
    double share = (double) done() / SCALE;
    long elapsed = TimeUnit.NANOSECONDS.toSeconds(nanos.getAsLong() - start);
    String eta = share < MIN_FOR_ETA ? "-" : time(Math.round(elapsed * (1 - share) / share));
    return String.format(
        Locale.ROOT, "%s %s%3.0f%%  %s  ETA %s", name, drawing, 100 * share, time(elapsed), eta);
  }

  private static String time(long seconds) {
    return String.format(
        Locale.ROOT, "%d:%02d:%02d", seconds / 3600, seconds / 60 % 60, seconds % 60);
  }

  private void paint() {
    try {
      while (true) {
        tick();
        Thread.sleep(REDRAW_MILLIS);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  @Override
  public void close() {
    painter.interrupt();
    ProgressBar last;
    synchronized (this) {
      closed = true;
      last = bar;
    }
    if (last != null) {
      last.close();
      draw("");
    }
  }

  /** Replaces the last line. */
  private void draw(String line) {
    err.print("\r" + line + CLEAR_TO_END);
    err.flush();
  }

  /** The bar as one line of text. */
  private final class Drawing implements ProgressBarRenderer {
    @Override
    public String render(ProgressState state, int columns) {
      int full = (int) Math.round((double) BAR_CELLS * done() / SCALE);
      return text("█".repeat(full) + "░".repeat(BAR_CELLS - full) + " ");
    }
  }

  /** The terminal line that shows the bar. */
  private final class Line implements ProgressBarConsumer {
    @Override
    public int getMaxRenderedLength() {
      return -1;
    }

    @Override
    public void accept(String line) {
      draw(line);
    }

    @Override
    public void clear() {
      draw("");
    }

    @Override
    public void close() {
      // The line is erased once the last drawing is done.
    }
  }
}
