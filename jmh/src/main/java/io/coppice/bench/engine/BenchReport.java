// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.bench.engine;

import static io.coppice.bench.report.Texts.text;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.coppice.bench.report.Machine;
import io.coppice.bench.report.RecordJson;
import io.coppice.bench.report.RepeatSpread;
import io.coppice.bench.report.ReportJson;
import io.coppice.bench.report.Texts;
import io.coppice.bench.store.BenchOptions;
import io.coppice.bench.store.Benchmark;
import io.coppice.bench.store.Measure;
import io.coppice.workload.TextTable;
import java.util.ArrayList;
import java.util.List;

/**
 * The table and the report file of a run. A figure is the median of its rounds. A ratio is computed
 * in each round; the report shows the median ratio and the range.
 */
record BenchReport(BenchOptions options, Machine machine, List<List<Child.Outcome>> stores) {

  /**
   * Largest difference of two stores' flush counts, as a fraction of the other store's count, with
   * which their write amplifications are comparable.
   */
  private static final double MAX_FLUSH_DIFFERENCE = 0.05;

  private static final String NOTHING = "-";

  /**
   * One figure of one workload.
   *
   * @param stores the figure of each store
   * @param ratios the first store's figure compared with that of each other store; null if the
   *     figure has no better direction
   */
  private record Row(
      String id, Figure figure, List<RepeatSpread> stores, List<RepeatSpread> ratios) {}

  private List<Child.Outcome> ours() {
    return stores.get(0);
  }

  private String label(int store) {
    return options.stores().get(store).label();
  }

  List<String> lines() {
    List<String> lines = new ArrayList<>(Texts.facts(BenchReport.class, options));
    for (int i = 0; i < stores.size(); i++) {
      lines.add(label(i) + ": " + stores.get(i).get(0).store());
    }
    lines.add("each store and round in a JVM of its own, " + Child.flags());
    lines.add(machine.line());
    lines.add("");
    lines.addAll(table());
    lines.addAll(notes());
    return lines;
  }

  private List<String> table() {
    List<List<String>> cells = new ArrayList<>();
    List<String> head = new ArrayList<>(List.of("", ""));
    for (int i = 0; i < stores.size(); i++) {
      head.addAll(List.of(label(i), ""));
    }
    for (int i = 1; i < stores.size(); i++) {
      head.addAll(List.of(stores.size() == 2 ? "ratio" : "to " + label(i), "", ""));
    }
    cells.add(head);
    for (int i = 0; i < options.benchmarks().size(); i++) {
      String label = options.benchmarks().get(i).label();
      for (Row row : rows(i)) {
        List<String> line = new ArrayList<>(List.of(label, row.figure.label()));
        row.stores.forEach(spread -> addSpread(line, row.figure, spread));
        row.ratios.forEach(ratio -> addRatio(line, ratio));
        cells.add(line);
        label = "";
      }
    }
    return TextTable.lines(cells, "llr");
  }

  private static void addRatio(List<String> line, RepeatSpread ratio) {
    if (ratio == null || !Double.isFinite(ratio.median())) {
      line.addAll(List.of(NOTHING, "", ""));
    } else {
      line.add(text("%.2f", ratio.median()));
      line.add(
          TextTable.number("%.2f", ratio.low()) + ".." + TextTable.number("%.2f", ratio.high()));
      line.add(verdict(ratio));
    }
  }

  private static String verdict(RepeatSpread ratio) {
    if (ratio.low() <= 1 && ratio.high() >= 1) {
      return "same";
    }
    return ratio.median() > 1 ? "better" : "worse";
  }

  private static void addSpread(List<String> line, Figure figure, RepeatSpread spread) {
    if (!Double.isFinite(spread.median())) {
      line.addAll(List.of(NOTHING, ""));
      return;
    }
    line.add(text("%,." + figure.decimals() + "f", spread.median()));
    line.add(text("±%.0f%%", 50 * spread.share()));
  }

  private List<Row> rows(int cell) {
    List<Row> rows = new ArrayList<>();
    Benchmark benchmark = options.benchmarks().get(cell);
    for (Figure figure : Figure.of(benchmark)) {
      List<RepeatSpread> ratios = new ArrayList<>();
      for (int i = 1; i < stores.size(); i++) {
        ratios.add(figure.better() == null ? null : ratio(stores.get(i), cell, figure));
      }
      rows.add(
          new Row(
              id(cell) + "_" + figure.id(),
              figure,
              stores.stream().map(rounds -> spread(rounds, cell, figure)).toList(),
              ratios));
    }
    return rows;
  }

  /**
   * Returns the label of a workload, followed by a number from its second occurrence on.
   *
   * @param cell position of the workload in the run
   */
  private String id(int cell) {
    Benchmark benchmark = options.benchmarks().get(cell);
    int first = options.benchmarks().indexOf(benchmark);
    return first == cell ? benchmark.label() : benchmark.label() + "_" + (cell + 1);
  }

  private static RepeatSpread spread(List<Child.Outcome> rounds, int cell, Figure figure) {
    return RepeatSpread.of(
        rounds.stream()
            .mapToDouble(round -> round.results().get(cell).figure(figure.of()))
            .toArray());
  }

  private RepeatSpread ratio(List<Child.Outcome> peer, int cell, Figure figure) {
    double[] ratios = new double[peer.size()];
    for (int i = 0; i < ratios.length; i++) {
      ratios[i] = figure.ratio(ours().get(i).results().get(cell), peer.get(i).results().get(cell));
    }
    return RepeatSpread.of(ratios);
  }

  private List<String> notes() {
    List<String> notes = new ArrayList<>();
    long found = 0;
    long compared = 0;
    for (Child.Outcome round : ours()) {
      for (CellResult cell : round.results()) {
        found += (long) cell.of(Measure.FOUND);
        compared += (long) cell.of(Measure.VALUES_CHECKED);
      }
    }
    if (found > 0) {
      notes.add("");
      notes.add(
          text(
              "every answer was checked for being there or not, and %,d of %,d values found in ours"
                  + " byte by byte; none was wrong, on either side",
              compared, found));
    }
    for (int i = 0; i < options.benchmarks().size(); i++) {
      for (int peer = 1; peer < stores.size(); peer++) {
        addFlushNote(notes, i, peer);
      }
    }
    return notes;
  }

  private void addFlushNote(List<String> notes, int cell, int peer) {
    CellResult mine = ours().get(0).results().get(cell);
    CellResult other = stores.get(peer).get(0).results().get(cell);
    boolean compared =
        options.benchmarks().get(cell).writes()
            && mine.has(Measure.FLUSHES)
            && other.has(Measure.FLUSHES);
    double difference = Math.abs(mine.of(Measure.FLUSHES) - other.of(Measure.FLUSHES));
    if (compared && difference > MAX_FLUSH_DIFFERENCE * other.of(Measure.FLUSHES)) {
      notes.add(
          text(
              "note: %s flushed %.0f times in %s and %.0f in %s, so write amplification is not"
                  + " quite comparable",
              options.benchmarks().get(cell).label(),
              mine.of(Measure.FLUSHES),
              label(0),
              other.of(Measure.FLUSHES),
              label(peer)));
    }
  }

  /** Returns the text of the report file. Published row ids are never renamed. */
  String json(String command) {
    ObjectNode root = ReportJson.of(options.name(), command, machine, List.of());
    root.remove("facts");
    var described = root.putArray("stores");
    for (int i = 0; i < stores.size(); i++) {
      ObjectNode store = described.addObject();
      store.put("name", label(i));
      store.put("description", stores.get(i).get(0).store());
    }
    root.put("rounds", ours().size());
    var rows = root.putArray("rows");
    for (int i = 0; i < options.benchmarks().size(); i++) {
      for (Row row : rows(i)) {
        add(rows, row);
      }
    }
    return RecordJson.file(root);
  }

  /**
   * Adds one JSON node per other store, or a single node if there is no other store. If there are
   * several, the ids contain the store's name.
   */
  private void add(ArrayNode rows, Row row) {
    for (int i = Math.min(1, stores.size() - 1); i < stores.size(); i++) {
      ObjectNode node = rows.addObject();
      node.put("id", stores.size() <= 2 ? row.id : row.id + "_over_" + label(i));
      node.put("ours", ReportJson.rounded(row.stores.get(0).median()));
      RepeatSpread ratio = i == 0 ? null : row.ratios.get(i - 1);
      node.put("peer", i == 0 ? null : ReportJson.rounded(row.stores.get(i).median()));
      node.put("ratio", ratio == null ? null : ReportJson.rounded(ratio.median()));
      node.putNull("goal");
      node.putNull("met");
      if (ratio != null) {
        ReportJson.put(node, "range", ratio.range());
      }
    }
  }
}
