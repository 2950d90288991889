// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.bench.papers;

import static io.coppice.bench.papers.PaperLoads.INSERT;
import static io.coppice.bench.papers.PaperLoads.LEVELED;
import static io.coppice.bench.report.Texts.text;
import static io.coppice.bench.store.Benchmark.FILLUNIQUERANDOM;
import static io.coppice.bench.store.Benchmark.READRANDOM;
import static io.coppice.bench.store.Benchmark.READRANDOMWRITERANDOM;

import io.coppice.bench.engine.CellResult;
import io.coppice.bench.store.StoreSpec;
import java.util.ArrayList;
import java.util.List;

/** Experiment that compares grouped levels with leveled compaction. */
final class Grouped {

  private static final double MIN_SAVING = 0.50;
  private static final double MAX_SAVING = 0.80;
  private static final int FEWEST = 3;
  private static final int MOST = 7;

  private Grouped() {}

  /**
   * Judges whether the savings rise with the number of groups, for a writer that waits for merges.
   */
  static Finding groups(Experiment experiment, Evidence evidence) {
    List<String> measured = new ArrayList<>();
    List<String> predicted = new ArrayList<>();
    boolean monotone = true;
    boolean inside = true;
    double before = 0;
    for (int groups : PaperLoads.GROUPS) {
      StoreSpec store = PaperLoads.grouped(groups);
      Evidence.Pair load = evidence.pair("g", store, LEVELED, FILLUNIQUERANDOM);
      Evidence.Pair paced = evidence.pair("g-paced", store, LEVELED, FILLUNIQUERANDOM);
      double saved = paced.saved();
      monotone &= saved > before;
      before = saved;
      inside &= groups < FEWEST || groups > MOST || saved >= MIN_SAVING && saved <= MAX_SAVING;
      measured.add(
          text(
              "G %d: -%.0f %% (unpaced -%.0f %%), rate %+.0f %%",
              groups, 100 * saved, 100 * load.saved(), 100 * (load.rate() - 1)));
      double saving = 100 * paced.predictedSaving(INSERT);
      predicted.add(text("G %d: -%.0f %%", groups, saving));
    }
    StoreSpec four = PaperLoads.grouped(4);
    Evidence.Pair load = evidence.pair("g", four, LEVELED, FILLUNIQUERANDOM);
    return experiment.found(
        load.ours().rate(),
        load.peer().rate(),
        Verdict.ofDirection(monotone && inside)
            .and(Verdict.ofGain(load.rate(), experiment.claimed())),
        String.join("; ", predicted),
        String.join("; ", measured),
        100 * (evidence.pair("g", four, LEVELED, READRANDOM).ratio(CellResult::rate) - 1),
        100 * (evidence.pair("g", four, LEVELED, READRANDOMWRITERANDOM).rate() - 1),
        monotone ? "rises" : "does not rise",
        inside ? "within" : "not within");
  }
}
