// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.bench.papers;

import static io.coppice.bench.papers.PaperLoads.LEVELED;
import static io.coppice.bench.papers.PaperLoads.TIERED;
import static io.coppice.bench.report.Texts.text;
import static io.coppice.bench.store.Benchmark.OVERWRITE;
import static io.coppice.bench.store.Benchmark.READRANDOM;
import static io.coppice.bench.store.Benchmark.READRANDOMWRITERANDOM;
import static io.coppice.bench.store.Benchmark.SEEKRANDOM;
import static io.coppice.bench.store.Benchmark.SWITCHPOLICY;

import io.coppice.bench.engine.CellResult;
import io.coppice.bench.peers.Stores;
import io.coppice.bench.store.Benchmark;
import io.coppice.bench.store.Measure;
import java.util.List;
import java.util.Map;

/** Experiments that compare leveled with tiered compaction, and that switch between them. */
final class LeveledTiered {

  static final Map<String, Experiment.Judge> JUDGES =
      Map.of(
          "L-1", LeveledTiered::mix,
          "L-2", LeveledTiered::mix,
          "L-3", LeveledTiered::mix,
          "L-4", LeveledTiered::mix,
          "L-5", LeveledTiered::phases);

  /** Ids of the trials with a report for each second, which charts show. */
  static final List<String> CURVES =
      List.of("l-uniform-50", "l-uniform-95", "l-zipf-50", "l-zipf-95");

  private static final double MICRO = 1e3;
  private static final double MAX_AMPLIFICATION = 0.5;

  /** Least share of the better fixed policy's rate that still counts as the claimed direction. */
  private static final double MIN_SHARE = 0.5;

  private LeveledTiered() {}

  private static double delayedPercent(CellResult cell) {
    return 100 * cell.of(Measure.DELAYED_NANOS) / cell.of(Measure.OPERATION_NANOS);
  }

  /** Judges the rate, and each direction that the paper claims for this load. */
  private static Finding mix(Experiment experiment, Evidence evidence) {
    String trial = experiment.trials().get(0);
    Evidence.Pair mix = evidence.pair(trial, TIERED, LEVELED, READRANDOMWRITERANDOM);
    Evidence.Pair rocks =
        evidence.pair(trial, Stores.UNIVERSAL, Stores.ROCKSDB, READRANDOMWRITERANDOM);
    double amplification = mix.ratio(CellResult::writeAmplification);
    double readTiered = mix.ours().of(Measure.P99_NANOS) / MICRO;
    double readLeveled = mix.peer().of(Measure.P99_NANOS) / MICRO;
    double claimed = experiment.claimed();
    Verdict rate =
        claimed >= 1.05
            ? Verdict.ofGain(mix.rate(), claimed)
            : Verdict.ofLikeness(mix.rate(), claimed, 0.1);
    boolean slower = readTiered > readLeveled;
    Verdict directions =
        switch (experiment.id()) {
          case "L-1" ->
              Verdict.ofGain(1 / amplification, 1 / MAX_AMPLIFICATION)
                  .and(Verdict.ofDirection(slower));
          case "L-2" -> Verdict.ofDirection(slower);
          default -> Verdict.ofDirection(amplification > 1);
        };
    String law = trial.contains("zipf") ? "zipf:0.99" : "uniform-update";
    return experiment.found(
        mix.ours().rate(),
        mix.peer().rate(),
        rate.and(directions),
        mix.ours().predicted(law).wa() / mix.peer().predicted(law).wa(),
        mix.rate(),
        readTiered,
        readLeveled,
        amplification,
        mix.ours().of(LeveledTiered::delayedPercent),
        mix.peer().of(LeveledTiered::delayedPercent),
        rocks.rate(),
        amplification <= MAX_AMPLIFICATION ? "at most" : "more than",
        slower ? "higher" : "lower");
  }

  private static Finding phases(Experiment experiment, Evidence evidence) {
    double worst = Double.MAX_VALUE;
    StringBuilder measured = new StringBuilder();
    for (Benchmark phase : List.of(OVERWRITE, READRANDOM, SEEKRANDOM)) {
      Evidence.Pair fixed = evidence.pair("l-phases", TIERED, LEVELED, phase);
      double share =
          evidence.run("l-switched", TIERED, phase).rate()
              / Math.max(fixed.ours().rate(), fixed.peer().rate());
      worst = Math.min(worst, share);
      measured.append(text("%s %.2f; ", phase.label(), share));
    }
    double bytes = evidence.run("l-switched", TIERED, SWITCHPOLICY).of(Measure.MERGED_BYTES);
    double accepted = evidence.run("l-switched", TIERED, OVERWRITE).of(Measure.ACCEPTED_BYTES);
    return experiment.found(
        worst,
        experiment.claimed(),
        Verdict.ofDirection(worst > MIN_SHARE)
            .and(Verdict.ofStrength(worst >= experiment.claimed())),
        measured,
        bytes / accepted);
  }
}
