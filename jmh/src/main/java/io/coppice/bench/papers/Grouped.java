// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.bench.papers;

import static io.coppice.bench.engine.Benchmark.FILLUNIQUERANDOM;
import static io.coppice.bench.engine.Benchmark.READRANDOM;
import static io.coppice.bench.engine.Benchmark.READRANDOMWRITERANDOM;
import static io.coppice.bench.papers.PaperLoads.LEVELED;

import io.coppice.bench.engine.CellResult;
import io.coppice.bench.engine.StoreSpec;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** Levels of groups beside leveled. */
final class Grouped {

  private static final double HUNDRED = 100;
  private static final double MIN_SAVING = 0.50;
  private static final double MAX_SAVING = 0.80;
  private static final double MIN_RATE = 1.69;

  /** Range of group counts for which the claim is checked. */
  private static final int FEWEST = 3;

  private static final int MOST = 7;

  private Grouped() {}

  static List<Experiment> experiments() {
    return List.of(
        new Experiment("G-1", Experiment.Paper.GROUPED, List.of("g", "g-paced"), Grouped::groups));
  }

  private static Finding groups(Evidence evidence) {
    List<String> measured = new ArrayList<>();
    List<String> predicted = new ArrayList<>();
    boolean monotone = true;
    boolean inside = true;
    double before = 0;
    for (int groups : PaperLoads.GROUPS) {
      StoreSpec store = PaperLoads.grouped(groups);
      double saved = evidence.saved("g-paced", store, LEVELED, FILLUNIQUERANDOM);
      monotone &= saved > before;
      before = saved;
      inside &= groups < FEWEST || groups > MOST || saved >= MIN_SAVING && saved <= MAX_SAVING;
      double rate = evidence.ratio("g", store, LEVELED, FILLUNIQUERANDOM, CellResult::settledRate);
      measured.add(
          String.format(
              Locale.ROOT,
              "G %d: -%.0f %% (unpaced -%.0f %%), rate %+.0f %%",
              groups,
              HUNDRED * saved,
              HUNDRED * evidence.saved("g", store, LEVELED, FILLUNIQUERANDOM),
              HUNDRED * (rate - 1)));
      predicted.add(
          String.format(
              Locale.ROOT,
              "G %d: -%.0f %%",
              groups,
              HUNDRED
                  * evidence.predictedSaving(
                      "g-paced", store, LEVELED, FILLUNIQUERANDOM, "insert")));
    }
    StoreSpec four = PaperLoads.grouped(4);
    double rate = evidence.of("g", four, FILLUNIQUERANDOM, CellResult::settledRate);
    double leveled = evidence.of("g", LEVELED, FILLUNIQUERANDOM, CellResult::settledRate);
    double reads = evidence.ratio("g", four, LEVELED, READRANDOM, CellResult::rate);
    double mix = evidence.ratio("g", four, LEVELED, READRANDOMWRITERANDOM, CellResult::settledRate);
    Verdict bytes = monotone && inside ? Verdict.AGREES : Verdict.CONTRADICTS;
    return new Finding(
        "G-1",
        "grouped, G 2 to 7 and 10, beside leveled with a fanout of 10; unique keys, reads, 25/75",
        "compaction I/O -55..-78 %, writes +69..+284 %, reads -5..-9 %, mix +30..+69 %",
        String.join("; ", predicted),
        rate,
        leveled,
        String.join("; ", measured)
            + String.format(
                Locale.ROOT,
                "; G 4: reads %+.0f %%, mix %+.0f %%",
                HUNDRED * (reads - 1),
                HUNDRED * (mix - 1)),
        bytes.and(Verdict.ofGain(rate / leveled, MIN_RATE)),
        String.format(
            Locale.ROOT,
            "the saving of a writer that waits for merges, as the simulator's does, %s with G and is"
                + " %s 50 to 80 %% for G 3 to 7; rates, reads and the mix are of one that does not;"
                + " the page gives no number of groups, so G is read as the number of groups of a"
                + " level",
            monotone ? "rises" : "does not rise",
            inside ? "within" : "not within"));
  }
}
