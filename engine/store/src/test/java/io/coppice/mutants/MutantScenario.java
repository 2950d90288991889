// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.mutants;

import io.coppice.crash.CheckpointTrial;
import io.coppice.crash.CrashCoverage;
import io.coppice.crash.CrashExplorer;
import io.coppice.crash.CrashLoad;
import io.coppice.crash.CrashViolation;
import io.coppice.crash.FailedSyncTrial;
import io.coppice.crash.FullDiskTrial;
import io.coppice.crash.LostEditsTrial;
import io.coppice.crash.ReopeningTrial;
import io.coppice.crash.RepairTrial;
import io.coppice.io.Disk;
import io.coppice.io.RecordingDisk;
import java.io.IOException;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.function.UnaryOperator;

/**
 * Something that a store does on a disk that may be spoilt, and the states that a loss of power
 * leaves of it: a {@link CrashLoad}, or a trial of its own. Used by one thread.
 */
final class MutantScenario {

  private static final long SEED = 1;

  /** Of one load of delays there are few cuts of virtual segments. */
  private static final List<Long> SEEDS_OF_DELAYS = List.of(20L, 21L, 22L);

  /** A defect, for one run. */
  interface Defect {
    /**
     * Begins.
     *
     * @param effect to be told of each time that it makes a difference
     * @return what comes between stores and their disks
     */
    UnaryOperator<Disk> begin(Runnable effect);
  }

  /** How much is looked at. */
  enum Effort {
    /** Where the defect makes a difference first, and a little everywhere. */
    SKETCH(4, 4, 0),
    /** Where it makes a difference, and recoveries that crash. */
    NEAR(16, 40, 1),
    /** All points. */
    WHOLE(0, 8, 2);

    private final int places;
    private final int statesPerPoint;
    private final int crashes;

    Effort(int places, int statesPerPoint, int crashes) {
      this.places = places;
      this.statesPerPoint = statesPerPoint;
      this.crashes = crashes;
    }
  }

  /** So many points are looked at before a difference, and so many from there on. */
  private static final int POINTS_BEFORE = 2;

  private static final int POINTS_BEHIND = 7;

  /** And so many besides, evenly. */
  private static final int FAR_POINTS = 24;

  /** Does what there is to do, with something between stores and their disks. */
  private interface Trial {
    void run(UnaryOperator<Disk> between, Effort effort) throws IOException;
  }

  private final String name;

  /** Null if it is a trial. */
  private final CrashLoad load;

  private final long seed;
  private final Trial trial;
  private int effects;

  private MutantScenario(String name, CrashLoad load, long seed, Trial trial) {
    this.name = name;
    this.load = load;
    this.seed = seed;
    this.trial = trial;
  }

  private static MutantScenario of(CrashLoad load, long seed) {
    return new MutantScenario(load + "-" + seed, load, seed, null);
  }

  private static MutantScenario of(String name, Trial trial) {
    return new MutantScenario(name, null, SEED, trial);
  }

  /** All there are: trials, then loads, the shortest first. */
  static List<MutantScenario> all() throws IOException {
    Map<CrashLoad, Integer> costs = new EnumMap<>(CrashLoad.class);
    for (CrashLoad load : CrashLoad.values()) {
      costs.put(load, load.record(new Random(SEED)).ops().size());
    }
    List<MutantScenario> all = new ArrayList<>();
    all.add(
        of(
            "CHECKPOINT",
            (between, effort) ->
                new CheckpointTrial(
                        between, new CrashCoverage(), new Random(SEED), effort.statesPerPoint / 2)
                    .run()));
    all.add(
        of(
            "REPAIR",
            (between, effort) ->
                new RepairTrial(between, new CrashCoverage(), new Random(SEED), effort.crashes)
                    .run()));
    all.add(
        of(
            "LOST_EDITS",
            (between, effort) ->
                new LostEditsTrial(between, new Random(SEED), effort.statesPerPoint).run()));
    all.add(of("REOPENING", (between, effort) -> new ReopeningTrial(between).run()));
    all.add(of("FAILED_SYNC", (between, effort) -> new FailedSyncTrial(between).run()));
    all.add(of("FULL_DISK_MERGES", (between, effort) -> new FullDiskTrial(between).run()));
    costs.keySet().stream()
        .sorted(Comparator.comparing(costs::get))
        .forEach(load -> all.add(of(load, SEED)));
    SEEDS_OF_DELAYS.forEach(seed -> all.add(of(CrashLoad.DELAYED, seed)));
    return all;
  }

  @Override
  public String toString() {
    return name;
  }

  /** How often the defect made a difference in the last run. */
  int effects() {
    return effects;
  }

  /**
   * Runs it; returns if nothing was wrong.
   *
   * @throws CrashViolation if an answer is wrong
   * @throws CrashLoad.Stopped if nothing is wrong, but a call failed
   */
  void run(Defect defect, Effort effort) throws IOException {
    effects = 0;
    if (load == null) {
      trial.run(defect.begin(() -> effects++), effort);
    } else {
      explore(defect, effort);
    }
  }

  private void explore(Defect defect, Effort effort) throws IOException {
    List<RecordingDisk> recorded = new ArrayList<>();
    List<Integer> places = new ArrayList<>();
    UnaryOperator<Disk> between =
        defect.begin(
            () -> {
              effects++;
              recorded.forEach(disk -> places.add(disk.count()));
            });
    CrashLoad.Stopped stopped = null;
    CrashLoad.Trace trace;
    try {
      trace = load.record(new Random(seed), between, recorded::add);
    } catch (CrashLoad.Stopped e) {
      stopped = e;
      trace = e.trace();
    }
    recorded.clear();
    new CrashExplorer(
            trace,
            between,
            new CrashCoverage(),
            new Random(5),
            effort.statesPerPoint,
            places.isEmpty() ? 2 * effort.crashes : effort.crashes)
        .run(points(trace.ops().size(), places, effort)::get);
    if (stopped != null && stopped.onSoundDisk()) {
      throw new CrashViolation(
          CrashViolation.Kind.WRONG_ANSWER, "a call fails on a sound disk: " + stopped, stopped);
    }
    if (stopped != null) {
      throw stopped;
    }
  }

  private static BitSet points(int operations, List<Integer> places, Effort effort) {
    BitSet points = new BitSet(operations);
    if (effort == Effort.WHOLE) {
      points.set(0, operations);
      return points;
    }
    int stride = Math.max(1, places.size() / effort.places);
    for (int i = 0; i < places.size(); i += stride) {
      int place = places.get(i);
      points.set(Math.max(0, place - POINTS_BEFORE), place + POINTS_BEHIND);
    }
    int first = places.isEmpty() ? 0 : places.get(0);
    for (int i = 0; i < FAR_POINTS; i++) {
      points.set(first + (operations - first) * i / FAR_POINTS);
    }
    return points;
  }
}
