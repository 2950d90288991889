// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.bench.peers;

import static io.coppice.bench.engine.Benchmark.FILLBATCH;
import static io.coppice.bench.engine.Benchmark.FILLRANDOM;
import static io.coppice.bench.engine.Benchmark.FILLSEQ;
import static io.coppice.bench.engine.Benchmark.FILLUNIQUERANDOM;
import static io.coppice.bench.engine.Benchmark.READMISSING;
import static io.coppice.bench.engine.Benchmark.READRANDOM;
import static io.coppice.bench.engine.Benchmark.READWHILEWRITING;
import static io.coppice.bench.engine.Benchmark.SEEKRANDOM;
import static io.coppice.bench.engine.Benchmark.WRITEOPENLOOP;
import static io.coppice.bench.peers.PeerTrials.DELAYS;
import static io.coppice.bench.peers.PeerTrials.INSERTS;
import static io.coppice.bench.peers.PeerTrials.INSERTS_ONCE;
import static io.coppice.bench.peers.PeerTrials.MAIN;
import static io.coppice.bench.peers.PeerTrials.OPEN_LOOP;
import static io.coppice.bench.peers.PeerTrials.PACED;
import static io.coppice.bench.peers.PeerTrials.PAIRS;
import static io.coppice.bench.peers.PeerTrials.UPDATES;
import static io.coppice.bench.peers.PeerTrials.UPDATES_ONCE;
import static io.coppice.bench.peers.Stores.DELAYED;
import static io.coppice.bench.peers.Stores.FOREST;
import static io.coppice.bench.peers.Stores.FOREST_UNCLEANED;
import static io.coppice.bench.peers.Stores.GROUPED;
import static io.coppice.bench.peers.Stores.LAZY;
import static io.coppice.bench.peers.Stores.LEVELED;
import static io.coppice.bench.peers.Stores.MAPDB;
import static io.coppice.bench.peers.Stores.MVSTORE;
import static io.coppice.bench.peers.Stores.ROCKSDB;
import static io.coppice.bench.peers.Stores.UNIVERSAL;

import io.coppice.bench.engine.BenchOptions;
import io.coppice.bench.engine.Benchmark;
import io.coppice.bench.engine.CellResult;
import io.coppice.bench.engine.Child;
import io.coppice.bench.engine.Measure;
import io.coppice.bench.engine.Measured;
import io.coppice.bench.engine.StoreSpec;
import io.coppice.bench.suite.Spread;
import io.coppice.bench.suite.SuiteRow;
import io.coppice.workload.Keys;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.function.Supplier;
import java.util.function.ToDoubleFunction;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Makes the rows of what the trials measured. Ids, once published, are never renamed. */
final class PeerRows {

  private static final double OVER_ROCKSDB = 2.0;
  private static final double OVER_UNIVERSAL = 1.2;
  private static final double OVER_JAVA = 3.0;
  private static final double FOREST_OVER_LEVELED = 1 / 0.40;
  private static final double LAZY_OVER_LEVELED = 1 / 0.45;
  private static final double FOREST_OVER_ROCKSDB_PACED = 1 / 0.60;
  private static final double FOREST_OVER_ROCKSDB = 1 / 0.75;
  private static final double DELAYED_RATE = 1.4;
  private static final double DELAYED_BYTES = 1 / 0.55;
  private static final double GROUPED_RATE = 1.69;
  private static final double GROUPED_BYTES = 1 / 0.45;
  private static final double MOST_ORDERED_WA = 1.05;
  private static final double MISSING = 2;
  private static final double SEEKS = 0.8;
  private static final double MOST_SPACE = 1.05;
  private static final double MOST_UPDATED_SPACE = 1.55;
  private static final double MOST_WAIT_MILLIS = 100;
  private static final double MOST_DELAYED_PERCENT = 2;
  private static final double MOST_DEBT = 2;
  private static final double BESIDE_MEBIBYTES = 128;
  private static final double HEAP_MEBIBYTES = 1024;
  private static final double LEAST_MERGE_RATE = 2e6;

  /** Of measured and predicted write amplification, where keys are unique. */
  private static final double PREDICTED_WITHIN = 0.95;

  /** With fewer, write amplification says little of a policy. */
  private static final double LEAST_FLUSHES = 2_900;

  /** A bar so near 1 is judged on pairs. */
  private static final double NEAR_ONE = 0.1;

  private static final String UPDATES_WA = "wa_lazy_over_leveled";
  private static final String BESIDE_WRITER = "readwhilewriting_p99_over_rocksdb";
  private static final String RESIDENT = "resident_memory";
  private static final String MERGE_RATE = "merge_rate";

  private static final double MEBI = 1 << 20;
  private static final double THOUSAND = 1_000;
  private static final double HUNDRED = 100;

  private final Measured measured;
  private final Probe probe;
  private final Set<String> leftOut;
  private final Prediction prediction = new Prediction();
  private final List<SuiteRow> rows = new ArrayList<>();

  private PeerRows(Measured measured, Probe probe, Set<String> leftOut) {
    this.measured = measured;
    this.probe = probe;
    this.leftOut = leftOut;
  }

  /**
   * All rows but those of YCSB.
   *
   * @param leftOut trials that were not to be measured; their rows say so
   */
  static List<SuiteRow> of(Measured measured, Probe probe, Set<String> leftOut) {
    PeerRows made = new PeerRows(measured, probe, leftOut);
    made.fills();
    made.writeAmplification();
    made.papers();
    made.ordered();
    made.reads();
    made.space();
    made.waits();
    made.row(RESIDENT, made::memory);
    made.row(MERGE_RATE, made::merge);
    return made.rows;
  }

  private double[] of(
      String trial, StoreSpec store, Benchmark benchmark, ToDoubleFunction<CellResult> figure) {
    return measured.figures(trial, store, benchmark, figure);
  }

  /** Makes a row, or one that says which load it needs and was left out. */
  private void row(String id, Runnable make) {
    try {
      make.run();
    } catch (Measured.MissingException e) {
      if (!leftOut.contains(e.trial())) {
        throw e;
      }
      rows.add(SuiteRow.notMeasured(id, "its load, " + e.trial() + ", was left out"));
    }
  }

  private void add(SuiteRow row) {
    boolean near = row.hasGoal() && Math.abs(row.goal() - 1) <= NEAR_ONE;
    rows.add(near && isRate(row) ? row.onPairs() : row.steady());
  }

  /** A row whose note says so if it has too few rounds for a spread. */
  private void add(SuiteRow row, String trial, StoreSpec store) {
    String few = rounds(trial, store);
    add(few.isEmpty() ? row : row.noting(few));
  }

  private static boolean isRate(SuiteRow row) {
    return row.unit().equals("op/s") || row.unit().equals("us");
  }

  private void more(
      String id,
      String unit,
      String trial,
      Benchmark benchmark,
      StoreSpec ours,
      StoreSpec peer,
      ToDoubleFunction<CellResult> figure,
      double goal) {
    row(
        id,
        () ->
            add(
                SuiteRow.moreIsBetter(
                    id,
                    unit,
                    of(trial, ours, benchmark, figure),
                    of(trial, peer, benchmark, figure),
                    goal,
                    once(unequal(benchmark, peer), trial, ours))));
  }

  /** What a peer promises beyond ours; empty if nothing. */
  private static String unequal(Benchmark benchmark, StoreSpec peer) {
    return benchmark == FILLBATCH && peer == MAPDB ? "MapDB syncs each batch, ours none" : "";
  }

  private String rounds(String trial, StoreSpec store) {
    int rounds = measured.rounds(trial, store).size();
    return rounds >= 3 ? "" : rounds + (rounds == 1 ? " round" : " rounds") + ", no spread";
  }

  private void fills() {
    ToDoubleFunction<CellResult> settled = CellResult::settledRate;
    String unit = "op/s";
    more("fillrandom_over_rocksdb", unit, MAIN, FILLRANDOM, FOREST, ROCKSDB, settled, OVER_ROCKSDB);
    more(
        "fillrandom_over_rocksdb_universal",
        unit,
        MAIN,
        FILLRANDOM,
        FOREST,
        UNIVERSAL,
        settled,
        OVER_UNIVERSAL);
    for (StoreSpec peer : Stores.TREES) {
      more(
          "fillrandom_over_" + peer.label(),
          unit,
          trees(peer),
          FILLRANDOM,
          FOREST,
          peer,
          settled,
          OVER_JAVA);
    }
    more(
        "fillrandom_over_mvstore",
        unit,
        PeerTrials.COMMITS,
        FILLRANDOM,
        FOREST,
        MVSTORE,
        settled,
        OVER_JAVA);
    more(
        "fillrandom_over_mapdb",
        unit,
        PeerTrials.SYNCED,
        FILLRANDOM,
        FOREST,
        MAPDB,
        settled,
        OVER_JAVA);
    List<StoreSpec> batched = new ArrayList<>(Stores.TREES);
    batched.addAll(List.of(MVSTORE, MAPDB));
    for (StoreSpec peer : batched) {
      more(
          "fillbatch_over_" + peer.label(),
          unit,
          PeerTrials.BATCHES,
          FILLBATCH,
          FOREST,
          peer,
          settled,
          SuiteRow.NO_GOAL);
    }
  }

  private static String trees(StoreSpec peer) {
    return peer == Stores.XODUS ? PeerTrials.SLOW_TREES : PeerTrials.TREES;
  }

  private void writeAmplification() {
    String unit = "written/flushed";
    inserts("wa_forest_over_leveled", PACED, FOREST, LEVELED, unit, FOREST_OVER_LEVELED);
    row(UPDATES_WA, this::updates);
    predicted("wa_forest_predicted", FOREST);
    predicted("wa_leveled_predicted", LEVELED);
    inserts(
        "wa_forest_over_rocksdb_paced", PACED, FOREST, ROCKSDB, unit, FOREST_OVER_ROCKSDB_PACED);
    inserts("wa_forest_over_rocksdb", INSERTS_ONCE, FOREST, ROCKSDB, unit, FOREST_OVER_ROCKSDB);
  }

  private void inserts(
      String id, String trial, StoreSpec ours, StoreSpec peer, String unit, double goal) {
    row(id, () -> insertsRow(id, trial, ours, peer, unit, goal));
  }

  private void insertsRow(
      String id, String trial, StoreSpec ours, StoreSpec peer, String unit, double goal) {
    SuiteRow row =
        SuiteRow.lessIsBetter(
            id,
            unit,
            of(trial, ours, FILLUNIQUERANDOM, CellResult::flushAmplification),
            of(trial, peer, FILLUNIQUERANDOM, CellResult::flushAmplification),
            goal,
            amplificationNote(trial, ours) + "; " + amplificationNote(trial, peer));
    add(ifManyFlushes(row, flushes(trial, ours)), trial, ours);
  }

  private static SuiteRow ifManyFlushes(SuiteRow row, double flushes) {
    return flushes >= LEAST_FLUSHES
        ? row
        : row.withoutGoal(String.format(Locale.ROOT, "no goal below %,.0f flushes", LEAST_FLUSHES));
  }

  private double flushes(String trial, StoreSpec store) {
    return flushes(trial, store, FILLUNIQUERANDOM);
  }

  private double flushes(String trial, StoreSpec store, Benchmark fill) {
    return median(trial, store, fill, cell -> cell.of(Measure.FLUSHES));
  }

  private double median(
      String trial, StoreSpec store, Benchmark fill, ToDoubleFunction<CellResult> figure) {
    return Spread.of(of(trial, store, fill, figure)).median();
  }

  private double predictedInserts(String trial, StoreSpec store, Benchmark fill) {
    BenchOptions options = measured.options(trial);
    return prediction
        .of(
            withTables(store, options),
            fill == FILLSEQ ? "sequential" : "insert",
            options.entries(),
            options.entries(),
            options.valueBytes(),
            flushes(trial, store, fill))
        .wa();
  }

  private static String withTables(StoreSpec store, BenchOptions options) {
    return store.policy() + ",table_size=" + options.form().tableBytes();
  }

  private String amplificationNote(String trial, StoreSpec store) {
    return amplificationNote(trial, store, FILLUNIQUERANDOM);
  }

  private String amplificationNote(String trial, StoreSpec store, Benchmark fill) {
    double wa = median(trial, store, fill, CellResult::flushAmplification);
    double flushes = flushes(trial, store, fill);
    String text =
        String.format(Locale.ROOT, "%s: %.0f flushes, WA %.2f", store.label(), flushes, wa);
    if (!store.isOurs()) {
      return text;
    }
    boolean waits = measured.options(trial).traffic().rests();
    return text
        + String.format(
            Locale.ROOT,
            waits ? " (predicted %.2f)" : " (predicted %.2f where writes wait for merges)",
            predictedInserts(trial, store, fill));
  }

  /** Measured over predicted or the other way round, whichever is below 1. */
  private void predicted(String id, StoreSpec store) {
    row(id, () -> predictedRow(id, store));
  }

  private void predictedRow(String id, StoreSpec store) {
    double[] wa = of(PACED, store, FILLUNIQUERANDOM, CellResult::flushAmplification);
    double predicted = predictedInserts(PACED, store, FILLUNIQUERANDOM);
    double[] agreement = new double[wa.length];
    double[] one = new double[wa.length];
    for (int i = 0; i < wa.length; i++) {
      agreement[i] = Math.min(wa[i], predicted) / Math.max(wa[i], predicted);
      one[i] = 1;
    }
    add(
        ifManyFlushes(
            SuiteRow.moreIsBetter(
                id, "of 1", agreement, one, PREDICTED_WITHIN, amplificationNote(PACED, store)),
            flushes(PACED, store)),
        PACED,
        store);
  }

  private void updates() {
    BenchOptions options = measured.options(UPDATES);
    long writes = 4L * options.entries();
    List<String> notes = new ArrayList<>();
    for (StoreSpec store : List.of(LAZY, LEVELED)) {
      double flushes = all(store, Measure.FLUSHES)[0];
      double predicted =
          prediction
              .of(
                  withTables(store, options),
                  "uniform-update",
                  options.entries(),
                  writes,
                  options.valueBytes(),
                  flushes)
              .wa();
      notes.add(
          String.format(
              Locale.ROOT,
              "%s: %.0f flushes, WA %.2f (predicted %.2f)",
              store.label(),
              flushes,
              updateAmplification(store)[0],
              predicted));
    }
    add(
        ifManyFlushes(
            SuiteRow.lessIsBetter(
                UPDATES_WA,
                "written/accepted",
                updateAmplification(LAZY),
                updateAmplification(LEVELED),
                LAZY_OVER_LEVELED,
                String.join("; ", notes)),
            all(LAZY, Measure.FLUSHES)[0]),
        UPDATES,
        LAZY);
  }

  /** Over all writes of the trial of updates, in each round. */
  private double[] all(StoreSpec store, Measure measure) {
    return measured.rounds(UPDATES, store).stream()
        .mapToDouble(round -> sum(round, measure))
        .toArray();
  }

  private static double sum(Child.Outcome round, Measure measure) {
    return round.results().stream().mapToDouble(result -> result.of(measure)).sum();
  }

  private double[] updateAmplification(StoreSpec store) {
    return measured.rounds(UPDATES, store).stream()
        .mapToDouble(
            round ->
                (sum(round, Measure.FLUSHED_BYTES) + sum(round, Measure.MERGED_BYTES))
                    / sum(round, Measure.ACCEPTED_BYTES))
        .toArray();
  }

  private void papers() {
    more(
        "dcompaction_d1_rate",
        "op/s",
        DELAYS,
        FILLUNIQUERANDOM,
        DELAYED,
        LEVELED,
        CellResult::settledRate,
        DELAYED_RATE);
    merged("dcompaction_d1_bytes", DELAYS, DELAYED, DELAYED_BYTES);
    more(
        "grouped_rate",
        "op/s",
        INSERTS,
        FILLUNIQUERANDOM,
        GROUPED,
        LEVELED,
        CellResult::settledRate,
        GROUPED_RATE);
    merged("grouped_bytes", INSERTS, GROUPED, GROUPED_BYTES);
  }

  private void merged(String id, String trial, StoreSpec ours, double goal) {
    row(id, () -> mergedRow(id, trial, ours, goal));
  }

  private void mergedRow(String id, String trial, StoreSpec ours, double goal) {
    double[] mine = of(trial, ours, FILLUNIQUERANDOM, cell -> cell.of(Measure.MERGED_BYTES));
    double[] leveled = of(trial, LEVELED, FILLUNIQUERANDOM, cell -> cell.of(Measure.MERGED_BYTES));
    String saved =
        String.format(
            Locale.ROOT,
            "compaction bytes %+.0f %%",
            HUNDRED * (Spread.of(mine).median() / Spread.of(leveled).median() - 1));
    add(
        SuiteRow.lessIsBetter(
            id,
            "MiB",
            mebibytes(mine),
            mebibytes(leveled),
            goal,
            String.join(
                "; ", saved, amplificationNote(trial, ours), amplificationNote(trial, LEVELED))));
  }

  private static double[] mebibytes(double[] bytes) {
    return Arrays.stream(bytes).map(each -> each / MEBI).toArray();
  }

  private void ordered() {
    bound(
        "fillseq_wa",
        "written/flushed",
        () -> of(PeerTrials.ORDERED, FOREST, FILLSEQ, CellResult::flushAmplification),
        MOST_ORDERED_WA,
        () ->
            amplificationNote(PeerTrials.ORDERED, FOREST, FILLSEQ)
                + "; "
                + amplificationNote(PeerTrials.ORDERED, ROCKSDB, FILLSEQ));
    more(
        "fillseq_over_rocksdb",
        "op/s",
        PeerTrials.ORDERED,
        FILLSEQ,
        FOREST,
        ROCKSDB,
        CellResult::settledRate,
        1);
  }

  private void bound(
      String id, String unit, Supplier<double[]> ours, double most, Supplier<String> note) {
    row(id, () -> add(SuiteRow.bound(id, unit, ours.get(), most, note.get())));
  }

  private void printed(String id, String unit, Supplier<double[]> ours, Supplier<String> note) {
    row(id, () -> printedRow(id, unit, ours.get(), note.get()));
  }

  private void printedRow(String id, String unit, double[] ours, String note) {
    double[] same = ours.clone();
    Arrays.fill(same, Double.NaN);
    add(SuiteRow.lessIsBetter(id, unit, ours, same, SuiteRow.NO_GOAL, note));
  }

  private void reads() {
    ToDoubleFunction<CellResult> rate = CellResult::rate;
    more("readrandom_over_rocksdb", "op/s", PAIRS, READRANDOM, FOREST, ROCKSDB, rate, 1);
    more(
        "readrandom_all_over_rocksdb",
        "op/s",
        MAIN,
        READRANDOM,
        FOREST,
        ROCKSDB,
        rate,
        SuiteRow.NO_GOAL);
    more("readmissing_over_rocksdb", "op/s", MAIN, READMISSING, FOREST, ROCKSDB, rate, MISSING);
    more("seekrandom_over_rocksdb", "op/s", MAIN, SEEKRANDOM, FOREST, ROCKSDB, rate, SEEKS);
    row(BESIDE_WRITER, this::besideWriter);
    for (StoreSpec peer : Stores.TREES) {
      more(
          "readrandom_over_" + peer.label(),
          "op/s",
          trees(peer),
          READRANDOM,
          FOREST,
          peer,
          rate,
          SuiteRow.NO_GOAL);
    }
  }

  private void besideWriter() {
    add(
        SuiteRow.lessIsBetter(
            BESIDE_WRITER,
            "us",
            of(PAIRS, FOREST, READWHILEWRITING, cell -> cell.of(Measure.P99_NANOS) / THOUSAND),
            of(PAIRS, ROCKSDB, READWHILEWRITING, cell -> cell.of(Measure.P99_NANOS) / THOUSAND),
            1,
            "writer of both held to 2 MB/s"));
  }

  private static double peakOverLive(CellResult cell) {
    return cell.of(Measure.PEAK_DISK_BYTES) / cell.of(Measure.LIVE_BYTES);
  }

  /** What all files take once merges rest, which no policy decides where keys are unique. */
  private static double atRest(CellResult cell) {
    return cell.of(Measure.DISK_BYTES) / cell.of(Measure.LIVE_BYTES);
  }

  private void space() {
    String unit = "peak/live";
    bound(
        "space_unique_forest",
        unit,
        () -> insertedPeak(FOREST),
        MOST_SPACE,
        () ->
            once(
                String.format(
                    Locale.ROOT,
                    "at rest %.3f; %s",
                    of(INSERTS_ONCE, FOREST, FILLUNIQUERANDOM, PeerRows::atRest)[0],
                    logNote(INSERTS_ONCE)),
                INSERTS_ONCE,
                FOREST));
    printed(
        "space_unique_forest_uncleaned",
        unit,
        () -> insertedPeak(FOREST_UNCLEANED),
        () -> "early cleaning off");
    printed(
        "space_unique_rocksdb_universal",
        unit,
        () -> insertedPeak(UNIVERSAL),
        () -> "RocksDB universal");
    bound(
        "space_updates_lazy",
        unit,
        () -> updatedPeak(UPDATES, LAZY),
        MOST_UPDATED_SPACE,
        () -> once(logNote(UPDATES), UPDATES, LAZY));
    printed(
        "space_updates_rocksdb_universal",
        unit,
        () -> updatedPeak(UPDATES_ONCE, UNIVERSAL),
        () -> "RocksDB universal");
  }

  private double[] insertedPeak(StoreSpec store) {
    return of(INSERTS_ONCE, store, FILLUNIQUERANDOM, PeerRows::peakOverLive);
  }

  /** A note that says so if there are too few rounds for a spread. */
  private String once(String note, String trial, StoreSpec store) {
    return Stream.of(note, rounds(trial, store))
        .filter(text -> !text.isEmpty())
        .collect(Collectors.joining("; "));
  }

  private String logNote(String trial) {
    BenchOptions options = measured.options(trial);
    return String.format(
        Locale.ROOT,
        "the log of a memtable is %.1f %% of the data",
        HUNDRED * options.memtableBytes() / options.dataBytes());
  }

  /** Of the last third of the overwrites, when all live keys are there. */
  private double[] updatedPeak(String trial, StoreSpec store) {
    return measured.rounds(trial, store).stream()
        .mapToDouble(round -> peakOverLive(round.results().get(round.results().size() - 1)))
        .toArray();
  }

  private void waits() {
    String trial = OPEN_LOOP + "-" + FOREST.label();
    String other = OPEN_LOOP + "-" + ROCKSDB.label();
    bound(
        "open_loop_longest_wait_ms",
        "ms",
        () -> longestMillis(trial, FOREST),
        MOST_WAIT_MILLIS,
        () ->
            measured.has(other)
                ? String.format(
                    Locale.ROOT,
                    "RocksDB at its own rate %.0f ms",
                    longestMillis(other, ROCKSDB)[0])
                : "");
    bound(
        "open_loop_delayed_percent",
        "%",
        () -> of(trial, FOREST, WRITEOPENLOOP, PeerRows::delayedPercent),
        MOST_DELAYED_PERCENT,
        () -> "");
    printed(
        "full_speed_delayed_percent",
        "%",
        () -> of(MAIN, FOREST, FILLRANDOM, PeerRows::delayedPercent),
        () ->
            String.format(
                Locale.ROOT,
                "RocksDB %.1f",
                of(MAIN, ROCKSDB, FILLRANDOM, PeerRows::delayedPercent)[0]));
    bound(
        "full_speed_debt",
        "of its limit",
        () -> of(MAIN, FOREST, FILLRANDOM, cell -> cell.of(Measure.MOST_DEBT) / THOUSAND),
        MOST_DEBT,
        () -> "");
  }

  private double[] longestMillis(String trial, StoreSpec store) {
    return of(trial, store, WRITEOPENLOOP, cell -> cell.of(Measure.MAX_NANOS) / 1e6);
  }

  private static double delayedPercent(CellResult cell) {
    return HUNDRED * cell.of(Measure.DELAYED_NANOS) / cell.of(Measure.OPERATION_NANOS);
  }

  private void memory() {
    double budget = measured.options(MAIN).memoryBytes() / MEBI;
    double most = HEAP_MEBIBYTES + budget + BESIDE_MEBIBYTES;
    double[] resident =
        measured.rounds(MAIN, FOREST).stream()
            .mapToDouble(PeerRows::mostAnonymousMebibytes)
            .toArray();
    String note =
        String.format(
            Locale.ROOT,
            "most of RssAnon; heap %.0f + budget %.0f + %.0f MiB",
            HEAP_MEBIBYTES,
            budget,
            BESIDE_MEBIBYTES);
    add(SuiteRow.bound(RESIDENT, "MiB", resident, most, note));
  }

  private static double mostAnonymousMebibytes(Child.Outcome round) {
    return round.results().stream()
            .mapToDouble(result -> result.of(Measure.PEAK_ANONYMOUS_BYTES))
            .max()
            .orElse(0)
        / MEBI;
  }

  private void merge() {
    StoreSpec store = StoreSpec.ours("tiered,trigger=64");
    BenchOptions options = measured.options(PeerTrials.MERGE);
    double entry = Keys.BYTES + options.valueBytes();
    double[] rate =
        of(
            PeerTrials.MERGE,
            store,
            Benchmark.COMPACT,
            cell -> options.entries() * 1e9 / cell.of(Measure.OPERATION_NANOS));
    double copied = probe.copyBytesPerSecond() / entry;
    rows.add(
        SuiteRow.leastBound(
            MERGE_RATE,
            "entries/s",
            rate,
            LEAST_MERGE_RATE,
            String.format(
                Locale.ROOT,
                "one merge thread; %.1f %% of what one core copies and checksums",
                HUNDRED * rate[0] / copied)));
  }
}
