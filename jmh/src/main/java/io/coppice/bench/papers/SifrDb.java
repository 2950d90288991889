// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.bench.papers;

import static io.coppice.bench.papers.PaperLoads.FOREST;
import static io.coppice.bench.papers.PaperLoads.INSERT;
import static io.coppice.bench.papers.PaperLoads.LEVELED;
import static io.coppice.bench.papers.PaperLoads.TIERED;
import static io.coppice.bench.report.Texts.text;
import static io.coppice.bench.store.Benchmark.FILLSEQ;
import static io.coppice.bench.store.Benchmark.FILLUNIQUERANDOM;

import io.coppice.bench.store.Measure;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Stream;

/**
 * Experiments that compare split forests with leveled and tiered compaction, and lookups in many
 * runs.
 */
final class SifrDb {

  static final Map<String, Experiment.Judge> JUDGES =
      Map.of(
          "S-1", SifrDb::random,
          "S-2", SifrDb::ordered,
          "S-3", SifrDb::space,
          "S-4", SifrDb::search,
          "S-5", SifrDb::search,
          "S-6", SifrDb::search,
          "S-7", SifrDb::search,
          "S-8", SifrDb::records,
          "S-9", SifrDb::kills,
          "S-9-pause", SifrDb::pause);

  /**
   * Ids of the rows of the suite {@code read} that each experiment needs, by experiment; the
   * verdict is about the first.
   */
  static final Map<String, List<String>> ROWS =
      Map.of(
          "S-4", List.of("cold_point_fc_over_serial", "cold_hit_fc_over_serial"),
          "S-5", List.of("cold_hit_filters_on_over_off", "cold_miss_filters_on_over_off"),
          "S-6", List.of("cold_hit_fc_over_serial", "cold_hit_pa_over_serial_8"),
          "S-7", List.of("cold_seek50_parallel_over_serial", "cold_seek_parallel_over_serial"));

  private static final String UNMEASURED =
      "no verdict: what it would be judged by was not measured on this machine";

  private SifrDb() {}

  private static Finding random(Experiment experiment, Evidence evidence) {
    Evidence.Pair load = evidence.pair("s-random", FOREST, LEVELED, FILLUNIQUERANDOM);
    double ours = load.ours().predicted(INSERT).wa();
    double other = load.peer().predicted(INSERT).wa();
    return experiment.found(
        load.ours().rate(),
        load.peer().rate(),
        Verdict.ofGain(load.rate(), experiment.claimed()),
        load.ours().of(Measure.FLUSHES),
        ours,
        other,
        other,
        ours,
        (other + 1) / (ours + 1),
        load.ours().amplification(),
        load.peer().amplification(),
        load.rate());
  }

  private static Finding ordered(Experiment experiment, Evidence evidence) {
    List<Evidence.Run> runs =
        Stream.of(FOREST, LEVELED, TIERED)
            .map(store -> evidence.run("s-ordered", store, FILLSEQ))
            .toList();
    List<Object> figures = new ArrayList<>();
    runs.forEach(run -> figures.add(run.predicted("sequential").wa()));
    runs.forEach(run -> figures.add(run.amplification()));
    double forest = runs.get(0).amplification();
    return experiment.found(
        forest,
        runs.get(2).amplification(),
        Verdict.ofBound(forest, experiment.claimed()),
        figures.toArray());
  }

  private static Finding space(Experiment experiment, Evidence evidence) {
    List<String> measured = new ArrayList<>();
    List<String> predicted = new ArrayList<>();
    double ten = 0;
    double never = 0;
    for (int cleaning : PaperLoads.CLEANINGS) {
      Evidence.Run load =
          evidence.run("s-space", PaperLoads.forestCleaning(cleaning), FILLUNIQUERANDOM);
      double peak = load.of(cell -> cell.of(Measure.PEAK_DISK_BYTES) / cell.of(Measure.LIVE_BYTES));
      String name = cleaning == 0 ? "never" : "c " + cleaning;
      measured.add(text("%s: %.3f", name, peak));
      predicted.add(text("%s: %.3f", name, load.predicted(INSERT).saPeak()));
      ten = cleaning == 10 ? peak : ten;
      never = cleaning == 0 ? peak : never;
    }
    return experiment.found(
        ten,
        never,
        Verdict.ofDirection(ten < never).and(Verdict.ofStrength(ten < experiment.claimed())),
        String.join("; ", predicted),
        String.join("; ", measured));
  }

  private static Finding search(Experiment experiment, Evidence evidence) {
    List<String> rows = ROWS.get(experiment.id());
    double judged = evidence.row(rows.get(0));
    boolean missing = rows.stream().anyMatch(row -> Double.isNaN(evidence.row(row)));
    return experiment.found(
        judged,
        1,
        missing ? Verdict.UNMEASURED : Verdict.ofGain(judged, experiment.claimed()),
        String.join("; ", rows.stream().map(row -> row + " " + ratio(evidence.row(row))).toList()),
        missing
            ? UNMEASURED
            : "rows of the suite of reads, measured in this run: the gain is what the device gives 16"
                + " requests at once over one, less what it costs to ask for them");
  }

  private static String ratio(double ratio) {
    return Double.isNaN(ratio) ? "not measured" : text("%.2fx", ratio);
  }

  /** Judges the workloads of YCSB that filters can help: all except E. */
  private static Finding records(Experiment experiment, Evidence evidence) {
    List<String> measured = new ArrayList<>();
    double worst = Double.MAX_VALUE;
    for (String workload : List.of("a", "b", "c", "f", "d", "e")) {
      double ratio = evidence.row("ycsb_" + workload);
      measured.add(workload.toUpperCase(Locale.ROOT) + " " + ratio(ratio));
      worst = workload.equals("e") ? worst : Math.min(worst, ratio);
    }
    boolean missing = Double.isNaN(worst);
    return experiment.found(
        worst,
        1,
        missing ? Verdict.UNMEASURED : Verdict.ofLoss(worst, experiment.claimed()),
        String.join("; ", measured),
        missing
            ? UNMEASURED
            : text(
                "the lowest of A, B, C, D and F is %.2f of leveled's; E scans, and no filter helps a"
                    + " scan",
                worst));
  }

  private static Finding kills(Experiment experiment, Evidence evidence) {
    Resumption found = evidence.resumption();
    return experiment.found(
        found.maxRewritten(),
        found.bound(),
        Verdict.ofBound(found.maxRewritten(), found.bound()),
        found.kills(),
        found.bound(),
        found.maxRewritten());
  }

  private static Finding pause(Experiment experiment, Evidence evidence) {
    Resumption found = evidence.resumption();
    Pauses device = found.onDevice();
    Pauses memory = found.inMemory();
    boolean quicker = device.pausedMicros() <= experiment.claimed() * device.mergingMicros();
    return experiment.found(
        device.pausedMicros(),
        device.mergingMicros(),
        Verdict.ofDirection(found.extraTables() < 1 && quicker),
        PauseProcess.PAUSES,
        device.pausedMicros(),
        device.mergingMicros(),
        memory.pausedMicros(),
        memory.mergingMicros(),
        found.extraTables(),
        quicker
            ? "a paused merge ends at its next table, installs what it has, and leaves the device to"
                + " lookups"
            : "lookups on the device were not quicker by a tenth");
  }
}
