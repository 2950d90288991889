// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.bench.compare.report;

import io.coppice.bench.compare.report.ComparisonProgress.Phase;
import java.util.EnumMap;
import java.util.Map;

/**
 * Planned duration of a comparison, from its numbers of nodes, statements, rows and bytes. The
 * rates are rough ones of the reference machine with two idle cores; a slower machine takes longer.
 * No figure of the report depends on it. Pure.
 *
 * @param phases seconds of each phase of one run
 * @param runs number of runs, one after another
 */
public record Estimate(Map<Phase, Double> phases, int runs) {

  /** Cores that a node and its clients keep busy on average. */
  private static final double CORES_WANTED = 1.4;

  /** Largest {@link #slowness} of a machine that counts as idle. */
  private static final double NOTICEABLE = 1.2;

  private static final double START_SECONDS = 5;
  private static final double RESTART_SECONDS = 5;
  private static final double FLUSH_SECONDS = 0.05;
  private static final double STATEMENT_SECONDS = 8.0e-5;
  private static final double CHECKED_ROW_SECONDS = 1.0e-4;
  private static final double READ_SECONDS = 2.5e-4;
  private static final double MERGED_MB_SECONDS = 0.02;

  /** Bytes compacted per byte flushed: a value between tiered and leveled strategies. */
  private static final double REWRITES = 3.5;

  public Estimate {
    phases = Map.copyOf(phases);
  }

  /** Returns the estimate for the runs of a comparison on the reference machine. */
  public static Estimate of(CompareOptions options) {
    Scale scale = options.scale();
    Scale.ReadShape reads = scale.reads();
    double operations = scale.load().operations();
    double flushedMb = operations * scale.load().valueBytes() / 1e6;
    double check = CHECKED_ROW_SECONDS * reads.sampleRows();
    double sampled = (double) scale.load().flushes() / reads.everyFlushes() * reads.duringLoad();
    double read = 2.0 * reads.points() + 2.0 * reads.scans() + reads.warmUp();
    Map<Phase, Double> phases = new EnumMap<>(Phase.class);
    phases.put(Phase.START, START_SECONDS);
    phases.put(
        Phase.LOAD,
        FLUSH_SECONDS * scale.load().flushes()
            + STATEMENT_SECONDS * operations
            + MERGED_MB_SECONDS * REWRITES * flushedMb
            + (options.majorsOnly() ? 0 : READ_SECONDS * sampled));
    phases.put(Phase.EXPIRE, 2.0);
    phases.put(Phase.MAJOR, 1 + MERGED_MB_SECONDS * flushedMb / 2);
    phases.put(Phase.CHECK_MAJOR, check);
    if (!options.majorsOnly()) {
      phases.put(Phase.CHECK, check);
      phases.put(Phase.READ, READ_SECONDS * read);
      phases.put(Phase.RESTART, RESTART_SECONDS);
      phases.put(Phase.CHECK_RESTART, check);
    }
    return new Estimate(phases, options.contenders().size() * options.repeats());
  }

  /**
   * Returns the seconds of one run up to a point in a phase.
   *
   * @param share completed share of the phase, from 0 to 1
   */
  double done(Phase phase, double share) {
    double before = 0;
    for (Phase earlier : Phase.values()) {
      before += earlier.ordinal() < phase.ordinal() ? phases.getOrDefault(earlier, 0.0) : 0;
    }
    return before + share * phases.getOrDefault(phase, 0.0);
  }

  /** Returns the estimated seconds of one run on an idle machine. */
  double run() {
    return phases.values().stream().mapToDouble(Double::doubleValue).sum();
  }

  /** Returns the seconds of all runs on an idle machine. */
  double seconds() {
    return runs * run();
  }

  /**
   * Returns the duration of a comparison divided by that on two idle cores; 1 if the quotient is
   * below {@link #NOTICEABLE}. It grows with the square root of the missing processor time, because
   * a node often waits for answers and the disk. With a tenth of the processor time, comparisons
   * took three times as long.
   *
   * @param cores number of cores of the machine
   * @param freeCores processor time that two busy threads get, in cores
   */
  static double slowness(int cores, double freeCores) {
    int usable = Math.min(cores, Environment.PROBE_THREADS);
    double slowness = Math.max(1, CORES_WANTED / usable) * Math.sqrt(usable / freeCores);
    return slowness < NOTICEABLE ? 1 : slowness;
  }

  /**
   * Returns a sentence about the expected duration, for the start of a comparison. The parameters
   * are those of {@link #slowness}.
   */
  public String sentence(int cores, double freeCores) {
    double slowness = slowness(cores, freeCores);
    String about =
        "this takes about %s: %d run%s of about %.0f s, each on a fresh node"
            .formatted(span(seconds() * slowness), runs, runs == 1 ? "" : "s", run() * slowness);
    return slowness == 1 ? about : about + "; on two idle cores it is " + span(seconds());
  }

  private static String span(double seconds) {
    long minutes = Math.round(seconds / 60);
    if (seconds < 90) {
      return "%d seconds".formatted(Math.max(10, 10 * Math.round(seconds / 10)));
    }
    return minutes < 120 ? "%d minutes".formatted(minutes) : "%d hours".formatted(minutes / 60);
  }
}
