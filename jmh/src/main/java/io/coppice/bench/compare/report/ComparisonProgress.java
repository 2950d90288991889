// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.bench.compare.report;

import static io.coppice.bench.report.Texts.text;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.coppice.bench.suite.ClientThreads;
import io.coppice.workload.StatusLine;
import java.io.PrintWriter;
import java.util.Locale;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/**
 * Display of a comparison's progress: on a terminal one redrawn line with a bar, otherwise a plain
 * line every ten seconds without control characters. A thread of its own draws it once started.
 * Safe to share between threads.
 */
public final class ComparisonProgress implements AutoCloseable {

  /** A phase of a run; the constants are in the order of a run. */
  public enum Phase {
    START,
    LOAD,
    EXPIRE,
    CHECK,
    READ,
    MAJOR,
    CHECK_MAJOR,
    RESTART,
    CHECK_RESTART
  }

  private static final long REDRAW_MILLIS = 250;
  private static final double PACE_SECONDS = 20;
  private static final int BAR_CELLS = 15;

  private final PrintWriter out;
  private final StatusLine drawing;
  private final Estimate estimate;
  private final LongSupplier nanos;
  private final long start;
  private final ScheduledExecutorService painter = ClientThreads.timer("coppice-progress");

  @GuardedBy("this")
  private int run;

  @GuardedBy("this")
  private String label = "";

  @GuardedBy("this")
  private Phase phase = Phase.START;

  @GuardedBy("this")
  private double fraction;

  @GuardedBy("this")
  private String detail = "";

  private volatile boolean closed;

  public ComparisonProgress(
      PrintWriter out, boolean bar, int columns, Estimate estimate, LongSupplier nanos) {
    this.out = out;
    this.estimate = estimate;
    this.nanos = nanos;
    this.start = nanos.getAsLong();
    this.drawing = new StatusLine(out, bar, columns, BAR_CELLS, start);
  }

  public ComparisonProgress started() {
    painter.scheduleAtFixedRate(this::tick, 0, REDRAW_MILLIS, TimeUnit.MILLISECONDS);
    return this;
  }

  /** Begins the next run at its start phase. */
  public synchronized void begin(String name) {
    run++;
    label = name;
    phase(Phase.START);
  }

  public synchronized void phase(Phase next) {
    phase = next;
    fraction = 0;
    detail = "";
  }

  /** Sets the completed share of the phase, 0 to 1, with a description. */
  public synchronized void advance(double done, String what) {
    fraction = Math.min(1, done);
    detail = what;
  }

  /** Prints a line that stays above the progress. */
  public synchronized void say(String line) {
    drawing.erase();
    out.println(line);
    out.flush();
  }

  /**
   * Draws the progress of the current run if a redraw is due; has no effect before the first run.
   */
  synchronized void tick() {
    long now = nanos.getAsLong();
    if (run == 0 || closed) {
      return;
    }
    drawing.show(now, fraction, bar -> line(now, bar));
  }

  private synchronized String line(long now, String drawing) {
    long elapsed = TimeUnit.NANOSECONDS.toSeconds(now - start);
    double done = (run - 1) * estimate.run() + estimate.done(phase, fraction);
    // This machine's pace so far; at first, when little is done, that of the estimate counts more.
    double pace = (elapsed + PACE_SECONDS) / (done + PACE_SECONDS);
    String eta = time(Math.round(pace * (estimate.seconds() - done)));
    // Until one run is done, its length is a guess.
    String guess = run == 1 ? "~" : "";
    return text(
        " [%d/%d] %-15s%-8s%s%3.0f%%  %s  %s  ETA %s%s",
        run,
        estimate.runs(),
        label,
        phase.name().toLowerCase(Locale.ROOT).replaceFirst("_.*", ""),
        drawing,
        100 * fraction,
        detail,
        time(elapsed),
        guess,
        eta);
  }

  private static String time(long seconds) {
    return seconds < 3600
        ? "%d:%02d".formatted(seconds / 60, seconds % 60)
        : "%d:%02d:%02d".formatted(seconds / 3600, seconds / 60 % 60, seconds % 60);
  }

  @Override
  public synchronized void close() {
    closed = true;
    drawing.erase();
    out.flush();
    painter.shutdownNow();
  }
}
