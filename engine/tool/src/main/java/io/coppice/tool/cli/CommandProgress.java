// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.tool.cli;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.coppice.simulator.SimulationProgress;
import io.coppice.workload.RemainingTime;
import io.coppice.workload.StatusLine;
import io.coppice.workload.Terminal;
import java.io.PrintWriter;
import java.util.Arrays;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.function.DoubleSupplier;
import java.util.function.LongSupplier;

/**
 * A progress display for work of several parts, which appears after two seconds. On a terminal it
 * is a bar, redrawn in place and removed at the end; otherwise, a plain line every ten seconds.
 * Several threads at once may report parts.
 */
public final class CommandProgress implements AutoCloseable {

  private static final long SILENT_NANOS = TimeUnit.SECONDS.toNanos(2);
  private static final int REDRAW_MILLIS = 250;
  private static final int SCALE = 10_000;
  private static final int BAR_CELLS = 24;
  private static final int STANDARD_OUTPUT = 1;

  private final String name;
  private final double[] weights;
  private final AtomicLongArray parts;
  private final LongSupplier nanos;
  private final long start;
  private final Thread painter = new Thread(this::paint, "coppice-progress");

  @GuardedBy("this")
  private final StatusLine drawing;

  @GuardedBy("this")
  private final RemainingTime remaining;

  @GuardedBy("this")
  private boolean closed;

  /**
   * Supplies the completed share of the work, from 0 to 1; null if parts are reported. Set before
   * the thread that draws starts.
   */
  private DoubleSupplier asked;

  /**
   * Creates a display that draws when {@link #tick} is called.
   *
   * @param weights the amount of work of each part, relative to the others
   * @param workers how many parts run at once
   */
  CommandProgress(
      PrintWriter err,
      boolean terminal,
      String name,
      double[] weights,
      int workers,
      LongSupplier nanos) {
    this.name = name;
    this.weights = weights.clone();
    this.parts = new AtomicLongArray(weights.length);
    this.nanos = nanos;
    this.start = nanos.getAsLong();
    this.drawing = new StatusLine(err, terminal, 0, BAR_CELLS, start);
    this.remaining = new RemainingTime(weights, workers);
    remaining.note(start, new double[weights.length]);
  }

  /**
   * Returns a display of parts that run one after another, with a thread that draws it from now on.
   *
   * @param weights the amount of work of each part, relative to the others
   */
  public static CommandProgress on(CommandOutput streams, String name, double[] weights) {
    return on(streams, name, weights, 1);
  }

  /**
   * Returns a display of parts that start in their order and run several at once, with a thread
   * that draws it from now on.
   *
   * @param weights the amount of work of each part, relative to the others
   * @param workers how many parts run at once
   */
  public static CommandProgress on(
      CommandOutput streams, String name, double[] weights, int workers) {
    CommandProgress line =
        new CommandProgress(
            streams.err(), Terminal.isInteractive(), name, weights, workers, streams.nanos());
    line.painter.setDaemon(true);
    line.painter.start();
    return line;
  }

  /**
   * Returns a display of one part, with a thread that draws it from now on.
   *
   * @param share supplies the completed share, from 0 to 1, before each drawing
   */
  public static CommandProgress on(CommandOutput streams, String name, DoubleSupplier share) {
    double[] whole = {1};
    CommandProgress line =
        new CommandProgress(
            streams.err(), Terminal.isInteractive(), name, whole, 1, streams.nanos());
    line.asked = share;
    line.painter.setDaemon(true);
    line.painter.start();
    return line;
  }

  /**
   * Returns a display of one part, for work that prints results while it runs. A thread draws it if
   * standard error is a terminal and standard output is not.
   */
  public static CommandProgress beside(CommandOutput streams, String name) {
    CommandProgress line =
        new CommandProgress(streams.err(), true, name, new double[] {1}, 1, streams.nanos());
    if (Terminal.isInteractive() && !Terminal.is(STANDARD_OUTPUT)) {
      line.painter.setDaemon(true);
      line.painter.start();
    }
    return line;
  }

  /** Returns the progress of a part, by its index from 0. Any thread may report to it. */
  public SimulationProgress part(int index) {
    return share -> parts.set(index, Math.round(Math.min(1, share) * SCALE));
  }

  /** Draws the display if its next drawing is due. */
  synchronized void tick() {
    long now = nanos.getAsLong();
    if (closed) {
      return;
    }
    if (asked != null) {
      part(0).at(asked.getAsDouble());
    }
    double[] shares = new double[weights.length];
    Arrays.setAll(shares, i -> (double) parts.get(i) / SCALE);
    remaining.note(now, shares);
    if (now - start < SILENT_NANOS) {
      return;
    }
    drawing.show(now, (double) done() / SCALE, this::text);
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

  private synchronized String text(String drawing) {
    double share = (double) done() / SCALE;
    long elapsed = TimeUnit.NANOSECONDS.toSeconds(nanos.getAsLong() - start);
    double left = remaining.seconds();
    String eta = Double.isNaN(left) ? "-" : time(Math.round(left));
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
    synchronized (this) {
      closed = true;
      drawing.erase();
    }
  }
}
