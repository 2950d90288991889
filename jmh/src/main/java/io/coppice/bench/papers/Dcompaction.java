// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.bench.papers;

import static io.coppice.bench.papers.PaperLoads.DELAYED;
import static io.coppice.bench.papers.PaperLoads.DELAYED_UNREAD;
import static io.coppice.bench.papers.PaperLoads.INSERT;
import static io.coppice.bench.papers.PaperLoads.LEVELED;
import static io.coppice.bench.report.Texts.text;
import static io.coppice.bench.store.Benchmark.FILLRANDOM;
import static io.coppice.bench.store.Benchmark.FILLUNIQUERANDOM;
import static io.coppice.bench.store.Benchmark.READRANDOM;
import static io.coppice.bench.store.Benchmark.READRANDOMWRITERANDOM;

import io.coppice.bench.engine.CellResult;
import io.coppice.bench.peers.Stores;
import io.coppice.bench.store.Benchmark;
import io.coppice.bench.store.Measure;
import io.coppice.bench.store.StoreSpec;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Function;

/** Experiments that compare delayed compaction with leveled compaction. */
final class Dcompaction {

  static final Map<String, Experiment.Judge> JUDGES =
      Map.of(
          "D-1", Dcompaction::writes,
          "D-2", Dcompaction::mix,
          "D-3", Dcompaction::mix,
          "D-4", Dcompaction::readOnly,
          "D-5", Dcompaction::sizes,
          "D-6", Dcompaction::sweep,
          "D-7", Dcompaction::slowDisk,
          "D-8", Dcompaction::growth,
          "D-9", Dcompaction::shares);

  private static final double CLAIMED_SAVING = 0.51;
  private static final double CLAIMED_READ_SAVING = 0.48;
  private static final double MIN_FLATNESS = 0.8;
  private static final List<Integer> RECOMMENDED_VSMTS = List.of(3, 4, 5, 6);

  private Dcompaction() {}

  private static Evidence.Pair pair(Evidence evidence, String trial, Benchmark workload) {
    return evidence.pair(trial, DELAYED, LEVELED, workload);
  }

  private static Evidence.Pair load(Evidence evidence, String trial) {
    return pair(evidence, trial, FILLUNIQUERANDOM);
  }

  private static Verdict ofSaving(double measured, double claimed) {
    return Verdict.ofGain(1 / (1 - measured), 1 / (1 - claimed));
  }

  private static Finding writes(Experiment experiment, Evidence evidence) {
    Evidence.Pair unique = load(evidence, "d-unique");
    Evidence.Pair zipf = pair(evidence, "d-zipf", FILLRANDOM);
    double rocks = evidence.run("d-unique", Stores.ROCKSDB, FILLUNIQUERANDOM).rate();
    return experiment.found(
        unique.ours().rate(),
        unique.peer().rate(),
        ofSaving(unique.saved(), CLAIMED_SAVING)
            .and(ofSaving(unique.savedReads(), CLAIMED_READ_SAVING))
            .and(Verdict.ofGain(unique.rate(), experiment.claimed())),
        100 * unique.predictedReadSaving(INSERT),
        100 * unique.predictedSaving(INSERT),
        100 * zipf.predictedSaving("zipf:0.99"),
        unique.rate(),
        zipf.rate(),
        100 * unique.savedReads(),
        100 * unique.saved(),
        100 * zipf.savedReads(),
        100 * zipf.saved(),
        unique.ours().rate() / rocks);
  }

  private static Finding mix(Experiment experiment, Evidence evidence) {
    String trial = experiment.trials().get(0);
    Evidence.Pair mix = pair(evidence, trial, READRANDOMWRITERANDOM);
    return experiment.found(
        mix.ours().rate(),
        mix.peer().rate(),
        Verdict.ofGain(mix.rate(), experiment.claimed()),
        100 * load(evidence, trial).predictedSaving(INSERT),
        100 * (mix.rate() - 1),
        100 * (mix.ratio(Measure.WRITE_P50_NANOS) - 1),
        100 * (mix.ratio(Measure.P50_NANOS) - 1),
        -100 * mix.saved());
  }

  /** Returns the mean number of tables that a lookup read. */
  private static double tables(CellResult cell) {
    return cell.of(Measure.TABLES_ASKED) / Math.max(1, cell.of(Measure.LOOKUPS));
  }

  private static Finding readOnly(Experiment experiment, Evidence evidence) {
    Evidence.Pair reads = pair(evidence, "d-unique", READRANDOM);
    Evidence.Pair off = evidence.pair("d-unique", DELAYED_UNREAD, LEVELED, READRANDOM);
    Evidence.Pair fill = evidence.pair("d-unique", DELAYED_UNREAD, LEVELED, FILLUNIQUERANDOM);
    double rate = reads.ratio(CellResult::rate);
    return experiment.found(
        reads.ours().of(CellResult::rate),
        reads.peer().of(CellResult::rate),
        Verdict.ofLoss(rate, experiment.claimed()),
        fill.ours().predicted(INSERT).raMean() / fill.peer().predicted(INSERT).raMean(),
        100 * (rate - 1),
        reads.ratio(Dcompaction::tables),
        off.ratio(Dcompaction::tables));
  }

  private static Finding sizes(Experiment experiment, Evidence evidence) {
    List<Evidence.Pair> loads =
        experiment.trials().stream().map(trial -> load(evidence, trial)).toList();
    List<Evidence.Pair> sizes = loads.subList(0, 3);
    double half = loads.get(0).rate();
    double whole = loads.get(1).rate();
    double twice = loads.get(2).rate();
    double flat = Math.min(half, twice) / Math.max(half, twice);
    List<Object> figures = new ArrayList<>();
    sizes.forEach(load -> figures.add(100 * load.predictedSaving(INSERT)));
    loads.forEach(load -> figures.add(100 * (load.rate() - 1)));
    sizes.forEach(load -> figures.add(100 * load.saved()));
    figures.add(100 * flat);
    return experiment.found(
        whole,
        1,
        Verdict.ofGain(whole, experiment.claimed()).and(Verdict.ofStrength(flat > MIN_FLATNESS)),
        figures.toArray());
  }

  /** Judges whether saved bytes and tables per read both rise with {@code vct} up to 12. */
  private static Finding sweep(Experiment experiment, Evidence evidence) {
    List<String> bytes = new ArrayList<>();
    List<String> predicted = new ArrayList<>();
    boolean falling = true;
    boolean rising = true;
    double before = Double.NaN;
    double tablesBefore = 0;
    StoreSpec none = PaperLoads.delayed(0, 64);
    for (int vct : PaperLoads.VCTS) {
      StoreSpec store = PaperLoads.delayed(vct, 64);
      Evidence.Pair load = evidence.pair("d-vct", store, none, FILLUNIQUERANDOM);
      double saved = load.saved();
      double tables = evidence.run("d-vct", store, READRANDOM).of(Dcompaction::tables);
      bytes.add(text("%d: -%.0f %%, %.2f tables", vct, 100 * saved, tables));
      predicted.add(text("%d: -%.0f %%", vct, 100 * load.predictedSaving(INSERT)));
      if (vct > 0 && vct <= 12) {
        falling &= saved >= before - 0.02;
        rising &= tables >= tablesBefore - 0.05;
      }
      before = saved;
      tablesBefore = tables;
    }
    List<String> reads = new ArrayList<>();
    double worst = 0;
    for (int vsmt : PaperLoads.VSMTS) {
      StoreSpec store = PaperLoads.delayed(12, vsmt);
      double share = evidence.pair("d-vsmt", store, LEVELED, READRANDOM).ratio(Dcompaction::tables);
      reads.add(text("%d: %.2fx", vsmt, share));
      worst = RECOMMENDED_VSMTS.contains(vsmt) ? Math.max(worst, share) : worst;
    }
    boolean near = worst <= experiment.claimed();
    return experiment.found(
        worst,
        1,
        Verdict.ofDirection(falling && rising).and(Verdict.ofStrength(near)),
        String.join("; ", predicted),
        String.join("; ", bytes),
        String.join(", ", reads),
        falling ? "fall" : "do not fall",
        rising ? "rise" : "do not rise",
        worst,
        near ? "yes" : "no");
  }

  private static Finding slowDisk(Experiment experiment, Evidence evidence) {
    Evidence.Pair load = load(evidence, "d-slow");
    return experiment.found(
        load.ours().rate(),
        load.peer().rate(),
        Verdict.ofDirection(load.rate() > 1),
        100 * load.predictedSaving(INSERT),
        load.rate(),
        100 * load.saved());
  }

  private static Finding growth(Experiment experiment, Evidence evidence) {
    List<Object> figures = new ArrayList<>();
    for (Function<Evidence.Run, Double> figure :
        List.<Function<Evidence.Run, Double>>of(
            run -> run.predicted(INSERT).wa(), Evidence.Run::amplification)) {
      for (String trial : experiment.trials()) {
        Evidence.Pair load = load(evidence, trial);
        figures.addAll(List.of(figure.apply(load.peer()), figure.apply(load.ours())));
      }
    }
    Evidence.Pair twice = load(evidence, "d-double");
    double low = load(evidence, "d-half").peer().amplification();
    double high = twice.peer().amplification();
    double delayed = twice.ours().amplification();
    return experiment.found(
        delayed,
        high,
        Verdict.ofDirection(delayed < high).and(Verdict.ofGain(high / low, experiment.claimed())),
        figures.toArray());
  }

  private static Finding shares(Experiment experiment, Evidence evidence) {
    List<Object> figures = new ArrayList<>();
    double merged =
        2 * (evidence.run("d-unique", LEVELED, FILLUNIQUERANDOM).predicted(INSERT).wa() - 1);
    figures.add(100 * merged / (merged + 2));
    experiment
        .trials()
        .forEach(
            trial ->
                figures.add(
                    compactionPercent(
                        evidence.measured().rounds(trial, LEVELED).get(0).results())));
    double first = (Double) figures.get(1);
    return experiment.found(
        first,
        experiment.claimed(),
        Verdict.ofDirection(first > 50).and(Verdict.ofStrength(first >= experiment.claimed())),
        figures.toArray());
  }

  private static double compactionPercent(List<CellResult> results) {
    double merges = 0;
    double others = 0;
    for (CellResult result : results) {
      merges += result.of(Measure.MERGED_BYTES) + result.of(Measure.MERGE_READ_BYTES);
      others += result.of(Measure.FLUSHED_BYTES) + result.of(Measure.ACCEPTED_BYTES);
    }
    return 100 * merges / (merges + others);
  }
}
