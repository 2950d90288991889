// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.bench.engine;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.SerializationFeature;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.coppice.bench.suite.Machine;
import io.coppice.bench.suite.Spread;
import io.coppice.workload.Keys;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * Makes the table and the report file of a run. A figure is the median of its rounds; a ratio is
 * taken in each round, and the median of these is shown with their range.
 */
final class Report {

  /** Flush counts that differ by more make write amplification incomparable. */
  private static final double MOST_FLUSH_DIFFERENCE = 0.05;

  private static final String NOTHING = "-";

  private final BenchOptions options;
  private final Machine machine;

  /** Of each round; the peer's are empty if there is none. */
  private final List<Child.Outcome> ours;

  private final List<Child.Outcome> peers;

  Report(
      BenchOptions options, Machine machine, List<Child.Outcome> ours, List<Child.Outcome> peers) {
    this.options = options;
    this.machine = machine;
    this.ours = ours;
    this.peers = peers;
  }

  /** One figure of one workload. */
  private record Row(String id, Figure figure, Spread ours, Spread peer, Spread ratio) {}

  List<String> lines() {
    List<String> lines = new ArrayList<>();
    lines.add(
        String.format(
            Locale.ROOT,
            "%,d entries of %d + %d B, half compressible, no compression; log unsynced; memtable"
                + " %d MiB, memory %d MiB; %d filter bits; blocks of 4 KiB; %d merge thread%s; one"
                + " client; page cache unbounded; seed %d",
            options.entries(),
            Keys.BYTES,
            options.valueBytes(),
            options.memtableBytes() >> 20,
            options.memoryBytes() >> 20,
            CoppiceStore.FILTER_BITS,
            options.mergeThreads(),
            options.mergeThreads() == 1 ? "" : "s",
            options.seed()));
    lines.add("ours: " + ours.get(0).store());
    if (options.peer()) {
      lines.add("peer: " + peers.get(0).store());
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
    cells.add(List.of("", "", "coppice", "", "rocksdb", "", "ratio", "", ""));
    for (int i = 0; i < options.benchmarks().size(); i++) {
      String label = options.benchmarks().get(i).label();
      for (Row row : rows(i)) {
        List<String> line = new ArrayList<>(List.of(label, row.figure.label()));
        addSpread(line, row.figure, row.ours);
        addSpread(line, row.figure, row.peer);
        if (row.ratio == null) {
          line.addAll(List.of(NOTHING, "", ""));
        } else {
          line.add(String.format(Locale.ROOT, "%.2f", row.ratio.median()));
          line.add(String.format(Locale.ROOT, "%.2f..%.2f", row.ratio.low(), row.ratio.high()));
          line.add(verdict(row.ratio));
        }
        cells.add(line);
        label = "";
      }
    }
    return aligned(cells);
  }

  private static String verdict(Spread ratio) {
    if (ratio.low() <= 1 && ratio.high() >= 1) {
      return "same";
    }
    return ratio.median() > 1 ? "better" : "worse";
  }

  private static void addSpread(List<String> line, Figure figure, Spread spread) {
    if (spread == null) {
      line.addAll(List.of(NOTHING, ""));
      return;
    }
    line.add(String.format(Locale.ROOT, "%,." + figure.decimals() + "f", spread.median()));
    line.add(String.format(Locale.ROOT, "±%.0f%%", 50 * spread.share()));
  }

  private List<Row> rows(int cell) {
    List<Row> rows = new ArrayList<>();
    Benchmark benchmark = options.benchmarks().get(cell);
    for (Figure figure : Figure.of(benchmark)) {
      boolean compared = figure.better() != null && options.peer();
      rows.add(
          new Row(
              id(cell) + "_" + figure.id(),
              figure,
              spread(ours, cell, figure),
              options.peer() ? spread(peers, cell, figure) : null,
              compared ? ratio(cell, figure) : null));
    }
    return rows;
  }

  /** The workload's name, with its place if it is run more than once. */
  private String id(int cell) {
    Benchmark benchmark = options.benchmarks().get(cell);
    int first = options.benchmarks().indexOf(benchmark);
    return first == cell ? benchmark.label() : benchmark.label() + "_" + (cell + 1);
  }

  private static Spread spread(List<Child.Outcome> rounds, int cell, Figure figure) {
    return Spread.of(
        rounds.stream()
            .mapToDouble(round -> figure.value().applyAsDouble(round.results().get(cell)))
            .toArray());
  }

  private Spread ratio(int cell, Figure figure) {
    double[] ratios = new double[ours.size()];
    for (int i = 0; i < ratios.length; i++) {
      ratios[i] = figure.ratio(ours.get(i).results().get(cell), peers.get(i).results().get(cell));
    }
    return Spread.of(ratios);
  }

  private List<String> notes() {
    List<String> notes = new ArrayList<>();
    long found = 0;
    long compared = 0;
    for (Child.Outcome round : ours) {
      for (CellResult cell : round.results()) {
        found += (long) cell.of(Measure.FOUND);
        compared += (long) cell.of(Measure.VALUES_CHECKED);
      }
    }
    if (found > 0) {
      notes.add("");
      notes.add(
          String.format(
              Locale.ROOT,
              "every answer was checked for being there or not, and %,d of %,d values found in ours"
                  + " byte by byte; none was wrong, on either side",
              compared,
              found));
    }
    for (int i = 0; i < options.benchmarks().size(); i++) {
      if (options.peer() && options.benchmarks().get(i).writes()) {
        double mine = ours.get(0).results().get(i).of(Measure.FLUSHES);
        double other = peers.get(0).results().get(i).of(Measure.FLUSHES);
        if (Math.abs(mine - other) > MOST_FLUSH_DIFFERENCE * other) {
          notes.add(
              String.format(
                  Locale.ROOT,
                  "note: %s flushed %.0f times here and %.0f there, so write amplification is not"
                      + " quite comparable",
                  options.benchmarks().get(i).label(),
                  mine,
                  other));
        }
      }
    }
    return notes;
  }

  /** Two columns to the left, the others to the right. */
  private static List<String> aligned(List<List<String>> cells) {
    int[] widths = new int[cells.get(0).size()];
    for (List<String> row : cells) {
      for (int i = 0; i < widths.length; i++) {
        widths[i] = Math.max(widths[i], row.get(i).length());
      }
    }
    List<String> lines = new ArrayList<>();
    for (List<String> row : cells) {
      StringBuilder line = new StringBuilder();
      for (int i = 0; i < widths.length; i++) {
        String blanks = " ".repeat(widths[i] - row.get(i).length());
        line.append(i == 0 ? "" : "  ").append(i < 2 ? row.get(i) + blanks : blanks + row.get(i));
      }
      lines.add(line.toString().stripTrailing());
    }
    return lines;
  }

  /** The report file; row ids, once published, are never renamed. */
  String json(String command) {
    ObjectNode root = JsonNodeFactory.instance.objectNode();
    root.put("suite", options.name());
    root.put("command", command);
    root.put("commit", machine.commit());
    root.put("machine", machine.line());
    root.put("ours", ours.get(0).store());
    root.put("peer", options.peer() ? peers.get(0).store() : null);
    root.put("rounds", ours.size());
    var rows = root.putArray("rows");
    for (int i = 0; i < options.benchmarks().size(); i++) {
      for (Row row : rows(i)) {
        ObjectNode node = rows.addObject();
        node.put("id", row.id);
        node.put("ours", rounded(row.ours.median()));
        put(node, "peer", row.peer);
        put(node, "ratio", row.ratio);
        node.putNull("goal");
        node.putNull("met");
        if (row.ratio != null) {
          node.putArray("range").add(rounded(row.ratio.low())).add(rounded(row.ratio.high()));
        }
      }
    }
    try {
      return new ObjectMapper().enable(SerializationFeature.INDENT_OUTPUT).writeValueAsString(root)
          + "\n";
    } catch (JsonProcessingException e) {
      throw new AssertionError("a tree of plain values", e);
    }
  }

  private static void put(ObjectNode node, String name, Spread spread) {
    if (spread == null) {
      node.putNull(name);
    } else {
      node.put(name, rounded(spread.median()));
    }
  }

  private static double rounded(double figure) {
    return Math.round(figure * 1_000) / 1_000.0;
  }
}
