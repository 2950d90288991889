// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.bench.suite;

import java.io.PrintWriter;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/**
 * Shows how far a run is: on a terminal one line that is drawn over and over, else a plain line
 * every ten seconds. Used by the one thread that hears the measuring processes.
 */
public final class ProgressLine {

  private static final long PLAIN_NANOS = TimeUnit.SECONDS.toNanos(10);
  private static final String CLEAR_TO_END = "\u001b[K";

  private final PrintWriter out;
  private final boolean drawn;
  private final int cells;
  private final int cellsOfRound;
  private final LongSupplier nanos;
  private final long start;
  private String store = "";
  private String workload = "";
  private int cell;
  private int part;
  private int partsOfStep = 1;
  private double fraction;
  private double rate;
  private long cellStart;
  private long lastPlain;

  /**
   * A line for a run.
   *
   * @param drawn true on a terminal
   * @param cells in all rounds
   * @param cellsOfRound after which the time left is no longer a guess
   */
  public ProgressLine(
      PrintWriter out, boolean drawn, int cells, int cellsOfRound, LongSupplier nanos) {
    this.out = out;
    this.drawn = drawn;
    this.cells = cells;
    this.cellsOfRound = cellsOfRound;
    this.nanos = nanos;
    this.start = nanos.getAsLong();
    this.lastPlain = start;
  }

  /** A process for a store begins. */
  public void begin(String label) {
    begin(label, 1);
  }

  /** The same, with so many parts in the step that {@link #finished} ends. */
  public void begin(String label, int parts) {
    store = label;
    workload = "warm-up";
    fraction = 0;
    part = 0;
    partsOfStep = parts;
    draw();
  }

  /** A part of the step is done. */
  public void partDone() {
    part++;
    fraction = 0;
  }

  /** So many operations of a workload are done. */
  public void at(String label, long done, long total) {
    long now = nanos.getAsLong();
    if (!label.equals(workload) || done == 0) {
      workload = label;
      cellStart = now;
    }
    fraction = (double) done / total;
    rate = now == cellStart ? 0 : done * 1e9 / (now - cellStart);
    draw();
  }

  /** A share of a workload is done, from 0 to 1; its rate is not known. */
  public void at(String label, double share) {
    workload = label;
    fraction = share;
    rate = Double.NaN;
    draw();
  }

  /** A workload is done. */
  public void finished() {
    cell++;
    fraction = 0;
    part = 0;
    partsOfStep = 1;
  }

  /** Takes the line away. */
  public void erase() {
    if (drawn) {
      out.print("\r" + CLEAR_TO_END);
      out.flush();
    }
  }

  private void draw() {
    long now = nanos.getAsLong();
    if (drawn) {
      out.print("\r" + line(now) + CLEAR_TO_END);
      out.flush();
    } else if (now - lastPlain >= PLAIN_NANOS) {
      lastPlain = now;
      out.println(line(now));
      out.flush();
    }
  }

  private String line(long now) {
    double ofStep = Math.min(1, (part + Math.min(1, fraction)) / partsOfStep);
    double done = Math.min(1, (cell + ofStep) / cells);
    long elapsed = TimeUnit.NANOSECONDS.toSeconds(now - start);
    String left = done < 0.01 ? "-" : time(Math.round(elapsed * (1 - done) / done));
    return String.format(
        Locale.ROOT,
        " [%d/%d] %-17s %-11s %3.0f%%%s  %s  ETA %s%s",
        Math.min(cells, cell + 1),
        cells,
        store,
        workload,
        100 * fraction,
        Double.isNaN(rate) ? "" : String.format(Locale.ROOT, "  %,9.0f op/s", rate),
        time(elapsed),
        cell < cellsOfRound ? "~" : "",
        left);
  }

  private static String time(long seconds) {
    return "%d:%02d".formatted(seconds / 60, seconds % 60);
  }
}
