// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.bench.suite;

import static io.coppice.bench.report.Texts.text;

import io.coppice.workload.StatusLine;
import java.io.PrintWriter;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/**
 * Progress of a run: on a terminal one redrawn line, otherwise a plain line every ten seconds. The
 * remaining time follows from the weights of the steps, such as their expected seconds. If steps
 * have kinds, the speed of each kind is measured.
 */
public final class ProgressLine {

  /**
   * Seconds of work of a kind after which its measured speed counts as much as the expected one.
   */
  private static final double PACE_SECONDS = 2;

  /** Expected seconds of a process before its first report. */
  public static final double START_SECONDS = 1;

  /**
   * Work of one kind: the expected seconds of all its steps, those of the completed ones, and the
   * time that these took.
   */
  private static final class Kind {
    private double expected;
    private double done;
    private double took;
  }

  private final StatusLine drawing;
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

  /**
   * Weight of all steps; the next two fields are the weights of the completed steps and of the
   * current one.
   */
  private double work;

  private double workDone;
  private double weight = 1;
  private final Map<String, Kind> kinds = new LinkedHashMap<>();
  private final Kind starts = new Kind();
  private Kind kind = starts;
  private Kind nextKind;
  private double nextWeight;
  private long stepStart;
  private ScheduledExecutorService ticks;

  /**
   * Creates the progress of a run whose steps have equal weights.
   *
   * @param drawn whether the output is a terminal
   * @param cells number of steps in all rounds
   * @param cellsOfRound number of steps in a round; in the first round, a tilde marks the remaining
   *     time as a rough estimate
   * @param nanos clock in nanoseconds, on any base
   */
  public ProgressLine(
      PrintWriter out, boolean drawn, int cells, int cellsOfRound, LongSupplier nanos) {
    this.cells = cells;
    this.cellsOfRound = cellsOfRound;
    this.nanos = nanos;
    this.start = nanos.getAsLong();
    this.drawing = new StatusLine(out, drawn, 0, 0, start);
    this.work = cells;
  }

  /** Sets the total weight of all steps, unless each weighs 1. */
  public synchronized ProgressLine weighing(double all) {
    work = all;
    return this;
  }

  /**
   * Adds a process of a kind to the expected work, which a later call begins or skips.
   *
   * @param name name of the kind
   * @param seconds its expected seconds
   */
  public synchronized void expect(String name, double seconds) {
    kinds.computeIfAbsent(name, absent -> new Kind()).expected += seconds;
    starts.expected += START_SECONDS;
  }

  /** Starts a thread that redraws the line every second until {@link #erase}. */
  public synchronized ProgressLine ticking() {
    ticks = ClientThreads.timer("progress");
    ticks.scheduleAtFixedRate(this::tick, 1, 1, TimeUnit.SECONDS);
    return this;
  }

  private synchronized void tick() {
    if (!store.isEmpty()) {
      draw();
    }
  }

  /** Begins a step that consists of one process. */
  public void begin(String label) {
    begin(label, 1);
  }

  /**
   * Begins a step of several parts, which {@link #finished} ends.
   *
   * @param parts number of parts
   */
  public void begin(String label, int parts) {
    begin(label, parts, 1);
  }

  /**
   * Begins a step of several parts, whose weight is its share of the remaining time.
   *
   * @param parts number of parts
   * @param weightOfStep weight, such as expected seconds, in the unit of the total weight
   */
  public synchronized void begin(String label, int parts, double weightOfStep) {
    store = label;
    workload = "warm-up";
    fraction = 0;
    rate = Double.NaN;
    part = 0;
    partsOfStep = parts;
    weight = weightOfStep;
    stepStart = nanos.getAsLong();
    draw();
  }

  /**
   * Begins a process of a kind.
   *
   * @param kindOfStep name of the kind
   * @param seconds expected seconds
   */
  public synchronized void begin(String label, String kindOfStep, double seconds) {
    kind = starts;
    nextKind = kinds.get(kindOfStep);
    nextWeight = seconds;
    begin(label, 1, START_SECONDS);
  }

  private void started() {
    if (nextKind != null) {
      addStep();
      kind = nextKind;
      weight = nextWeight;
      nextKind = null;
    }
  }

  private void addStep() {
    long now = nanos.getAsLong();
    kind.done += weight;
    kind.took += sinceStep(now);
    stepStart = now;
  }

  /** Stops drawing until the next step begins, because other code draws a line of its own. */
  public synchronized void yieldLine() {
    store = "";
  }

  /** Leaves out a step of this weight. */
  public synchronized void skip(double weightOfStep) {
    cell++;
    work -= weightOfStep;
  }

  /**
   * Leaves out a process of a kind.
   *
   * @param seconds its expected seconds
   */
  public synchronized void skip(String kindOfStep, double seconds) {
    cell++;
    kinds.get(kindOfStep).expected -= seconds;
    starts.expected -= START_SECONDS;
  }

  /** Records that a part of the step is complete. */
  public synchronized void partDone() {
    part++;
    fraction = 0;
  }

  /**
   * Shows that {@code done} of {@code total} operations of some work are complete, with their rate.
   */
  public synchronized void at(String label, long done, long total) {
    started();
    long now = nanos.getAsLong();
    if (!label.equals(workload) || done == 0) {
      workload = label;
      cellStart = now;
    }
    fraction = (double) done / total;
    rate = now == cellStart ? 0 : done * 1e9 / (now - cellStart);
    draw();
  }

  /**
   * Shows the report of a child process.
   *
   * @param line a label, then a share or the completed and total operations, as {@link ParentLines}
   *     writes them
   */
  void at(String line) {
    String[] words = line.split(" ");
    if (words.length == 2) {
      at(words[0], Double.parseDouble(words[1]));
    } else {
      at(words[0], Long.parseLong(words[1]), Long.parseLong(words[2]));
    }
  }

  /** Shows the completed share of some work, from 0 to 1, for work without a rate. */
  public synchronized void at(String label, double share) {
    started();
    workload = label;
    fraction = share;
    rate = Double.NaN;
    draw();
  }

  /** Records that the current step is complete. */
  public synchronized void finished() {
    cell++;
    started();
    workDone += weight;
    addStep();
    fraction = 0;
    part = 0;
    partsOfStep = 1;
  }

  /** Erases the line and stops the redraws of {@link #ticking}. */
  public synchronized void erase() {
    if (ticks != null) {
      ticks.shutdownNow();
    }
    drawing.erase();
    store = "";
  }

  private void draw() {
    long now = nanos.getAsLong();
    drawing.show(now, 0, bar -> line(now));
  }

  private String line(long now) {
    double ofStep = Math.min(1, (part + Math.min(1, fraction)) / partsOfStep);
    double done = work <= 0 ? 0 : Math.min(1, (workDone + weight * ofStep) / work);
    long elapsed = TimeUnit.NANOSECONDS.toSeconds(now - start);
    double rest = kinds.isEmpty() ? elapsed * (1 - done) / done : secondsLeft(now, ofStep);
    String left = kinds.isEmpty() && done < 0.01 ? "-" : time(Math.round(rest));
    return text(
        " [%d/%d] %-17s %-11s %3.0f%%%s  %s  ETA %s%s",
        Math.min(cells, cell + 1),
        cells,
        store,
        workload,
        100 * fraction,
        Double.isNaN(rate) ? "" : text("  %,9.0f op/s", rate),
        time(elapsed),
        cell < cellsOfRound ? "~" : "",
        left);
  }

  private double sinceStep(long now) {
    return (now - stepStart) / 1e9;
  }

  private double secondsLeft(long now, double ofStep) {
    double left = left(starts, now, ofStep);
    for (Kind each : kinds.values()) {
      left += left(each, now, ofStep);
    }
    return left;
  }

  private double left(Kind each, long now, double ofStep) {
    double took = each == kind ? sinceStep(now) : 0;
    // A step that has reported nothing yet is as fast as expected.
    double part = each == kind ? weight * ofStep : 0;
    double done = each.done + (part > 0 ? part : Math.min(took, weight));
    double pace = (each.took + took + PACE_SECONDS) / (done + PACE_SECONDS);
    return pace * Math.max(0, each.expected - done);
  }

  private static String time(long seconds) {
    return "%d:%02d".formatted(seconds / 60, seconds % 60);
  }
}
