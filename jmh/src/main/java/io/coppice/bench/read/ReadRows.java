// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.bench.read;

import static io.coppice.bench.report.Texts.text;

import io.coppice.bench.report.DataTable;
import io.coppice.bench.report.SuiteRow;
import java.nio.file.FileSystems;
import java.nio.file.Path;
import java.nio.file.PathMatcher;
import java.util.Arrays;
import java.util.List;
import java.util.regex.PatternSyntaxException;

/**
 * Builder of the rows of the suite {@code read} from a table of specifications and the samples of
 * its processes.
 */
final class ReadRows {

  /** Name of the figure with the bytes read from the device per operation. */
  static final String DEVICE = "device";

  /** Name of the side in samples that are counts instead of times. */
  static final String COUNTED = "ours";

  static final String COUNTS_HIT = "counts_hit";
  static final String COUNTS_MISS = "counts_miss";
  static final String COUNTS_FILTERS = "counts_filters";

  static final List<RowSpec> ALL = DataTable.rows(RowSpec.class, "rows.txt");

  /** Most bytes read from the device per operation while the data fit the group. */
  private static final double MAX_OF_FITTING = 512;

  /** Least bytes read from the device per operation that show that the data exceed the memory. */
  private static final double MIN_OF_LARGER = 512;

  private static final double HUNDRED = 100;

  private ReadRows() {}

  /** Returns the rows whose ids match a glob; none if the glob is invalid. */
  static List<RowSpec> matching(String glob) {
    try {
      PathMatcher matcher = FileSystems.getDefault().getPathMatcher("glob:" + glob);
      return ALL.stream().filter(row -> matcher.matches(Path.of(row.id()))).toList();
    } catch (PatternSyntaxException e) {
      return List.of();
    }
  }

  static SuiteRow row(RowSpec spec, Samples samples) {
    String on = spec.on();
    if (spec.counts()) {
      return counted(spec, samples);
    }
    String side = samples.best(on, spec.side());
    String other = samples.best(on, spec.others());
    return switch (spec.kind()) {
      case "best" ->
          rate(
              spec,
              samples,
              side,
              other,
              rates(spec, samples, side, other) + "; " + medians(samples, on, side, other));
      case "group" ->
          judged(
              spec,
              samples,
              other,
              rate(spec, samples, side, other, grouped(spec, samples, side, other)));
      case "p99" ->
          judged(
              spec,
              samples,
              other,
              SuiteRow.lessIsBetter(
                  spec.id(),
                  "us",
                  samples.of(on, side, Samples.P99),
                  samples.of(on, other, Samples.P99),
                  spec.goal(),
                  "99th percentile of the fastest mode, " + other));
      default -> rate(spec, samples, side, other, medians(samples, on, side, other));
    };
  }

  private static SuiteRow rate(
      RowSpec spec, Samples samples, String side, String other, String note) {
    return SuiteRow.moreIsBetter(
        spec.id(),
        "op/s",
        samples.of(spec.on(), side, Samples.RATE),
        samples.of(spec.on(), other, Samples.RATE),
        spec.goal(),
        note);
  }

  /**
   * Returns a text with the rates of all other sides. For a side that should have been cold but was
   * not, it adds the share of its data in memory.
   */
  private static String rates(RowSpec spec, Samples samples, String side, String best) {
    StringBuilder note = new StringBuilder(side + " over " + best);
    for (String other : spec.others()) {
      if (samples.has(spec.on(), other)) {
        note.append(text("; %s %,.0f", other, samples.median(spec.on(), other, Samples.RATE)));
        double warm = samples.warmShare(spec.on(), other);
        note.append(warm > 0 ? text(" (not cold: %.0f%% in memory)", 100 * warm) : "");
      }
    }
    return note.toString();
  }

  private static String medians(Samples samples, String on, String side, String other) {
    return text(
        "p50 %.1f and %.1f us, cpu %.1f and %.1f us",
        samples.median(on, side, Samples.P50),
        samples.median(on, other, Samples.P50),
        samples.median(on, side, Samples.CPU),
        samples.median(on, other, Samples.CPU));
  }

  private static String grouped(RowSpec spec, Samples samples, String side, String other) {
    StringBuilder note = new StringBuilder(rates(spec, samples, side, other));
    String format = "; %s %.0f and %.0f %s";
    for (String figure : List.of(Samples.P50, Samples.P99, Samples.CPU, DEVICE)) {
      note.append(
          text(
              format,
              figure,
              samples.median(spec.on(), side, figure),
              samples.median(spec.on(), other, figure),
              figure.equals(DEVICE) ? "B/op" : "us"));
      format = ", %s %.0f and %.0f %s";
    }
    return note.toString();
  }

  /** Returns the row, and removes its goal if the memory group had no effect. */
  private static SuiteRow judged(RowSpec spec, Samples samples, String other, SuiteRow row) {
    ReadCell cell = ReadCell.named(spec.on());
    boolean fitting = cell.memory() == ReadCell.Memory.FITS;
    for (String one : List.of(spec.side().get(0), other)) {
      double device = samples.median(spec.on(), one, DEVICE);
      boolean fits = fitting && device > MAX_OF_FITTING;
      boolean larger = !fitting && cell.operation() != ReadOperation.MISS && device < MIN_OF_LARGER;
      if (fits || larger) {
        return row.withoutGoal(
            text(
                "not judged: %s read %.0f bytes per operation from the device, so its data %s",
                one, device, fits ? "did not fit" : "were in memory"));
      }
    }
    return row;
  }

  private static SuiteRow counted(RowSpec spec, Samples samples) {
    boolean hits = spec.on().equals(COUNTS_HIT);
    double factor = hits ? 1 : HUNDRED;
    double[] counted =
        quotient(samples, factor, spec.on(), spec.side().get(0), spec.others().get(0));
    if (hits) {
      double[] bound = quotient(samples, 1, COUNTS_MISS, "false_positives", "lookups");
      return SuiteRow.lessIsBetter(
          spec.id(),
          "blocks/hit",
          counted,
          Arrays.stream(bound).map(passed -> passed + 1).toArray(),
          1,
          "counted; peer is 1 + the false positives of a key that is nowhere");
    }
    double[] most = counted.clone();
    Arrays.fill(most, spec.goal());
    return SuiteRow.lessIsBetter(
        spec.id(),
        "%",
        counted,
        most,
        1,
        spec.on().equals(COUNTS_MISS)
            ? "of filters asked; 10 bits a key"
            : "of keys and values, at 100 bytes an entry");
  }

  private static double[] quotient(
      Samples samples, double factor, String on, String above, String below) {
    double[] quotient = samples.of(on, COUNTED, above);
    double[] divisor = samples.of(on, COUNTED, below);
    for (int i = 0; i < quotient.length; i++) {
      quotient[i] = factor * quotient[i] / divisor[i];
    }
    return quotient;
  }
}
