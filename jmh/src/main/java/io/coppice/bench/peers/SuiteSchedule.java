// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.bench.peers;

import static io.coppice.bench.report.Texts.text;

import io.coppice.bench.engine.Trial;
import io.coppice.bench.ycsb.YcsbCell;
import io.coppice.bench.ycsb.YcsbRun;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * Planned duration of a run, printed before it begins.
 *
 * @param cells a line of text for each load
 * @param seconds expected seconds of the whole run
 */
public record SuiteSchedule(List<String> cells, double seconds) {

  private static final double SECONDS_OF_MINUTE = 60;

  /**
   * Probes the machine for about a second and returns the schedule of trials and YCSB cells.
   *
   * @param directory receives the temporary files of the probe
   * @throws IOException if one cannot be written or removed
   */
  public static SuiteSchedule of(List<Trial> trials, List<YcsbCell> ycsb, Path directory)
      throws IOException {
    return of(trials, ycsb, Probe.of(directory));
  }

  /**
   * Returns this schedule with one more line.
   *
   * @param more expected seconds of that line
   */
  public SuiteSchedule plus(String name, double more) {
    List<String> all = new ArrayList<>(cells);
    all.add(text("  %-26s %27s = %6.1f min", name, "", more / SECONDS_OF_MINUTE));
    return new SuiteSchedule(all, seconds + more);
  }

  /** Returns the schedule of trials and YCSB cells. */
  static SuiteSchedule of(List<Trial> trials, List<YcsbCell> ycsb, Probe probe) {
    List<String> cells = new ArrayList<>(List.of(probe.line()));
    double all = 0;
    for (Trial trial : trials) {
      double seconds = trial.seconds() * probe.slowness();
      double sum = seconds * trial.stores().size() * trial.rounds();
      all += sum;
      cells.add(
          text(
              "  %-26s %2d stores x %d rounds x %6.0f s = %6.1f min",
              trial.id(), trial.stores().size(), trial.rounds(), seconds, sum / SECONDS_OF_MINUTE));
    }
    double records = YcsbRun.seconds(ycsb) * probe.slowness();
    if (!ycsb.isEmpty()) {
      cells.add(
          text(
              "  %-26s %2d cells                     = %6.1f min",
              "ycsb", ycsb.size(), records / SECONDS_OF_MINUTE));
    }
    return new SuiteSchedule(cells, all + records);
  }

  /** Returns one line per load, then a line with the sum. */
  public List<String> lines() {
    List<String> lines = new ArrayList<>(cells);
    lines.add(text("predicted: %.1f minutes", seconds / SECONDS_OF_MINUTE));
    return lines;
  }
}
