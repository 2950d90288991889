// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.bench.peers;

import static io.coppice.bench.report.Texts.text;

import io.coppice.bench.engine.CellResult;
import io.coppice.bench.engine.Child;
import io.coppice.bench.engine.TrialResults;
import io.coppice.bench.report.DataTable;
import io.coppice.bench.report.RepeatSpread;
import io.coppice.bench.report.SuiteRow;
import io.coppice.bench.store.BenchOptions;
import io.coppice.bench.store.Benchmark;
import io.coppice.bench.store.Measure;
import io.coppice.bench.store.StoreSpec;
import io.coppice.workload.BenchmarkKeys;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Builder of the rows of a suite from a table of specifications and the measurements of its loads.
 */
record PeerRows(TrialResults measured, Probe probe, Prediction prediction) {

  private record Spec(
      String id,
      String kind,
      String unit,
      String trial,
      Benchmark workload,
      String ours,
      String peer,
      String figure,
      double goal,
      String note) {

    StoreSpec store() {
      return Stores.NAMED.get(ours);
    }

    StoreSpec other() {
      return Stores.NAMED.get(peer);
    }
  }

  private static final List<Spec> SPECS = DataTable.rows(Spec.class, "rows.txt");

  private static final double MEBI = 1 << 20;
  private static final double HUNDRED = 100;

  /**
   * Anonymous resident memory in MiB that a process may take in addition to its heap and its memory
   * budget.
   */
  private static final double BESIDE_MEBIBYTES = 128;

  /** Heap of a process in MiB that the bound of resident memory allows. */
  private static final double HEAP_MEBIBYTES = 1024;

  /** Least number of flushes that fills the levels as in a long run. */
  private static final double MIN_FLUSHES = 2_900;

  /**
   * Largest distance from 1 of a goal for a rate or latency that {@link SuiteRow#onPairs} judges.
   */
  private static final double NEAR_ONE = 0.1;

  /**
   * Returns the rows in the order of the table.
   *
   * @param leftOut names of loads that were not to be measured, whose rows say so
   * @throws TrialResults.MissingException if another load was not measured
   */
  static List<SuiteRow> of(TrialResults measured, Probe probe, Set<String> leftOut) {
    PeerRows made = new PeerRows(measured, probe, new Prediction());
    List<SuiteRow> rows = new ArrayList<>();
    for (Spec spec : SPECS) {
      try {
        rows.add(made.row(spec));
      } catch (TrialResults.MissingException e) {
        if (!leftOut.contains(e.trial())) {
          throw e;
        }
        rows.add(SuiteRow.notMeasured(spec.id, "its load, " + e.trial() + ", was left out"));
      }
    }
    return rows;
  }

  private SuiteRow row(Spec spec) {
    return switch (spec.kind) {
      case "more" -> judged(more(spec, ours(spec), peers(spec), once(spec.note, spec)));
      case "less" -> judged(less(spec, ours(spec), peers(spec), spec.note));
      case "amplification" ->
          judged(
              withRounds(
                  spec,
                  less(
                      spec,
                      ours(spec),
                      peers(spec),
                      amplification(spec, spec.store()) + "; " + amplification(spec, spec.other())),
                  flushes(spec, spec.store())));
      case "updates" -> judged(updates(spec));
      case "predicted" -> judged(predicted(spec));
      case "merged" -> judged(merged(spec));
      case "bound" ->
          judged(SuiteRow.bound(spec.id, spec.unit, ours(spec), spec.goal, boundNote(spec)));
      case "shown" -> judged(shown(spec));
      case "memory" -> judged(memory(spec));
      case "merge" -> merge(spec);
      default -> throw new IllegalArgumentException("no row is " + spec.kind);
    };
  }

  private static SuiteRow judged(SuiteRow row) {
    boolean near = row.hasGoal() && Math.abs(row.goal() - 1) <= NEAR_ONE;
    boolean rate = row.unit().equals("op/s") || row.unit().equals("us");
    return near && rate ? row.onPairs() : row.steady();
  }

  private static SuiteRow more(Spec spec, double[] ours, double[] peers, String note) {
    return SuiteRow.moreIsBetter(spec.id, spec.unit, ours, peers, spec.goal, note);
  }

  private static SuiteRow less(Spec spec, double[] ours, double[] peers, String note) {
    return SuiteRow.lessIsBetter(spec.id, spec.unit, ours, peers, spec.goal, note);
  }

  private double[] ours(Spec spec) {
    return figures(spec, spec.trial, spec.store());
  }

  private double[] peers(Spec spec) {
    return figures(spec, spec.trial, spec.other());
  }

  private double[] figures(Spec spec, String trial, StoreSpec store) {
    return measured.figures(trial, store, spec.workload, cell -> cell.figure(spec.figure));
  }

  /** Returns a note that also names the figures whose rounds have no spread. */
  private String once(String note, Spec spec) {
    return Stream.of(note, rounds(spec))
        .filter(text -> !text.isEmpty())
        .collect(Collectors.joining("; "));
  }

  private String rounds(Spec spec) {
    int rounds = measured.rounds(spec.trial, spec.store()).size();
    return rounds >= 3 ? "" : rounds + (rounds == 1 ? " round" : " rounds") + ", no spread";
  }

  private SuiteRow withRounds(Spec spec, SuiteRow row, double flushes) {
    SuiteRow many =
        flushes >= MIN_FLUSHES
            ? row
            : row.withoutGoal(text("no goal below %,.0f flushes", MIN_FLUSHES));
    String few = rounds(spec);
    return few.isEmpty() ? many : many.noting(few);
  }

  private double flushes(Spec spec, StoreSpec store) {
    return RepeatSpread.of(
            measured.figures(spec.trial, store, spec.workload, cell -> cell.of(Measure.FLUSHES)))
        .median();
  }

  private String amplification(Spec spec, StoreSpec store) {
    double wa =
        RepeatSpread.of(
                measured.figures(spec.trial, store, spec.workload, CellResult::flushAmplification))
            .median();
    String text = text("%s: %.0f flushes, WA %.2f", store.label(), flushes(spec, store), wa);
    if (!store.isOurs()) {
      return text;
    }
    boolean waits = measured.options(spec.trial).traffic().rests();
    String where = waits ? "" : " where writes wait for merges";
    return text + text(" (predicted %.2f%s)", predictedInserts(spec, store), where);
  }

  private double predictedInserts(Spec spec, StoreSpec store) {
    BenchOptions options = measured.options(spec.trial);
    String workload = spec.workload == Benchmark.FILLSEQ ? "sequential" : "insert";
    return predicted(store, options, workload, options.entries(), flushes(spec, store));
  }

  private double predicted(
      StoreSpec store, BenchOptions options, String workload, long writes, double flushes) {
    return prediction
        .of(
            store.policy() + ",table_size=" + options.form().tableBytes(),
            workload,
            options.entries(),
            writes,
            options.valueBytes(),
            flushes)
        .wa();
  }

  private SuiteRow predicted(Spec spec) {
    double predicted = predictedInserts(spec, spec.store());
    double[] agreement =
        Arrays.stream(ours(spec))
            .map(wa -> Math.min(wa, predicted) / Math.max(wa, predicted))
            .toArray();
    return withRounds(
        spec,
        more(spec, agreement, same(agreement, 1), amplification(spec, spec.store())),
        flushes(spec, spec.store()));
  }

  private static double[] same(double[] figures, double value) {
    double[] same = figures.clone();
    Arrays.fill(same, value);
    return same;
  }

  private SuiteRow updates(Spec spec) {
    BenchOptions options = measured.options(spec.trial);
    List<String> notes = new ArrayList<>();
    for (StoreSpec store : List.of(spec.store(), spec.other())) {
      double flushes = sums(spec, store, Measure.FLUSHES)[0];
      notes.add(
          text(
              "%s: %.0f flushes, WA %.2f (predicted %.2f)",
              store.label(),
              flushes,
              updateAmplification(spec, store)[0],
              predicted(store, options, "uniform-update", 4L * options.entries(), flushes)));
    }
    return withRounds(
        spec,
        less(
            spec,
            updateAmplification(spec, spec.store()),
            updateAmplification(spec, spec.other()),
            String.join("; ", notes)),
        sums(spec, spec.store(), Measure.FLUSHES)[0]);
  }

  private double[] sums(Spec spec, StoreSpec store, Measure measure) {
    return measured.rounds(spec.trial, store).stream()
        .mapToDouble(round -> sum(round, measure))
        .toArray();
  }

  private static double sum(Child.Outcome round, Measure measure) {
    return round.results().stream().mapToDouble(result -> result.of(measure)).sum();
  }

  private double[] updateAmplification(Spec spec, StoreSpec store) {
    return measured.rounds(spec.trial, store).stream()
        .mapToDouble(
            round ->
                (sum(round, Measure.FLUSHED_BYTES) + sum(round, Measure.MERGED_BYTES))
                    / sum(round, Measure.ACCEPTED_BYTES))
        .toArray();
  }

  private SuiteRow merged(Spec spec) {
    double share = RepeatSpread.of(ours(spec)).median() / RepeatSpread.of(peers(spec)).median();
    String note =
        String.join(
            "; ",
            text("compaction bytes %+.0f %%", HUNDRED * (share - 1)),
            amplification(spec, spec.store()),
            amplification(spec, spec.other()));
    return less(spec, ours(spec), peers(spec), note);
  }

  private String boundNote(Spec spec) {
    return switch (spec.id) {
      case "fillseq_wa" ->
          amplification(spec, spec.store()) + "; " + amplification(spec, spec.other());
      case "space_unique_forest" -> once(atRest(spec) + "; " + logNote(spec), spec);
      case "space_updates_lazy" -> once(logNote(spec), spec);
      case "open_loop_longest_wait_ms" -> longestOfRocks(spec);
      default -> spec.note;
    };
  }

  private String atRest(Spec spec) {
    CellResult cell = measured.cells(spec.trial, spec.store(), spec.workload).get(0);
    double share = cell.of(Measure.DISK_BYTES) / cell.of(Measure.LIVE_BYTES);
    return text("at rest %.3f", share);
  }

  private String logNote(Spec spec) {
    BenchOptions options = measured.options(spec.trial);
    return text(
        "the log of a memtable is %.1f %% of the data",
        HUNDRED * options.memtableBytes() / options.dataBytes());
  }

  private String longestOfRocks(Spec spec) {
    String trial = PeerTrials.OPEN_LOOP + "-" + Stores.ROCKSDB.label();
    return measured.has(trial)
        ? text("RocksDB at its own rate %.0f ms", figures(spec, trial, Stores.ROCKSDB)[0])
        : "";
  }

  private SuiteRow shown(Spec spec) {
    double[] ours = ours(spec);
    String note = spec.peer.isEmpty() ? spec.note : text("RocksDB %.1f", peers(spec)[0]);
    return less(spec, ours, same(ours, Double.NaN), note);
  }

  private SuiteRow memory(Spec spec) {
    double budget = measured.options(spec.trial).memoryBytes() / MEBI;
    double[] resident =
        measured.rounds(spec.trial, spec.store()).stream()
            .mapToDouble(PeerRows::maxAnonymousMebibytes)
            .toArray();
    String note =
        text(
            "most of RssAnon; heap %.0f + budget %.0f + %.0f MiB",
            HEAP_MEBIBYTES, budget, BESIDE_MEBIBYTES);
    double most = HEAP_MEBIBYTES + budget + BESIDE_MEBIBYTES;
    return SuiteRow.bound(spec.id, spec.unit, resident, most, note);
  }

  private static double maxAnonymousMebibytes(Child.Outcome round) {
    return round.results().stream()
            .mapToDouble(result -> result.of(Measure.PEAK_ANONYMOUS_BYTES))
            .max()
            .orElse(0)
        / MEBI;
  }

  private SuiteRow merge(Spec spec) {
    BenchOptions options = measured.options(spec.trial);
    double[] rate =
        measured.figures(
            spec.trial,
            spec.store(),
            spec.workload,
            cell -> options.entries() * 1e9 / cell.of(Measure.OPERATION_NANOS));
    double copied = probe.copyBytesPerSecond() / (BenchmarkKeys.BYTES + options.valueBytes());
    return SuiteRow.minBound(
        spec.id,
        spec.unit,
        rate,
        spec.goal,
        text(
            "one merge thread; %.1f %% of what one core copies and checksums",
            HUNDRED * rate[0] / copied));
  }
}
