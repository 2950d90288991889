// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.bench.peers;

import io.coppice.bench.engine.CellResult;
import io.coppice.bench.engine.Child;
import io.coppice.bench.engine.TrialResults;
import io.coppice.bench.engine.Trials;
import io.coppice.bench.report.DataTable;
import io.coppice.bench.report.Machine;
import io.coppice.bench.store.BenchOptions;
import io.coppice.workload.BenchmarkKeys;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * Summary file with a line for each workload on each store. The columns are those of RocksDB's
 * {@code benchmark.sh} in their order, followed by columns of Coppice. Unknown figures are {@code
 * NA}.
 */
public final class Summary {

  /**
   * A column: a row of {@code summary.txt}.
   *
   * @param decimals digits after the decimal point
   * @param figure expression for {@link CellResult#figure}; empty for a constant
   * @param text unit of the figure, or the constant
   */
  record Column(String name, int decimals, String figure, String text) {

    private String of(CellResult cell) {
      return figure.isEmpty() ? text : number(cell.figure(figure), decimals, text);
    }
  }

  static final List<Column> COLUMNS = DataTable.rows(Column.class, "summary.txt");

  private Summary() {}

  /** Returns the text of the summary file. */
  public static String text(TrialResults measured, Machine machine) {
    List<String> lines = new ArrayList<>();
    lines.add(COLUMNS.stream().map(Column::name).collect(Collectors.joining("\t")));
    Map<String, String> known = new HashMap<>();
    known.put("date", LocalDate.now(ZoneOffset.UTC).toString());
    known.put("githash", machine.commit());
    for (String key : measured.keys()) {
      String[] words = key.split(" ");
      known.put("trial", words[0]);
      known.put("store", words[1]);
      BenchOptions options = measured.options(words[0]);
      List<Child.Outcome> rounds = measured.rounds(words[0], Trials.store(words[1]));
      for (int round = 0; round < rounds.size(); round++) {
        known.put("round", Integer.toString(round + 1));
        known.put("version", rounds.get(round).store().replace('\t', ' '));
        for (CellResult cell : rounds.get(round).results()) {
          double mebibytes = (BenchmarkKeys.BYTES + options.valueBytes()) / (double) (1 << 20);
          known.put("mb_sec", number(cell.rate() * mebibytes, 1, ""));
          known.put("test", cell.benchmark().label() + ".t" + options.traffic().threads());
          lines.add(
              COLUMNS.stream()
                  .map(column -> known.getOrDefault(column.name, column.of(cell)))
                  .collect(Collectors.joining("\t")));
        }
      }
    }
    return String.join("\n", lines) + "\n";
  }

  private static String number(double value, int decimals, String unit) {
    return Double.isFinite(value)
        ? String.format(Locale.ROOT, "%." + decimals + "f", value) + unit
        : "NA";
  }
}
