// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.tool.simulate;

import io.coppice.simulator.SimulationReport;
import io.coppice.tool.cli.ByteText;
import io.coppice.workload.TextTable;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * The results of a simulation as text: one row per policy, then the plans of each policy by cause.
 */
final class SimulationText {

  private static final int PERCENT = 100;

  private SimulationText() {}

  /** Returns the whole text, which ends with a line break. */
  static String of(PolicyComparison found) {
    List<String> lines = new ArrayList<>();
    lines.add("coppice simulate · " + found.loadText());
    lines.add(found.methodText());
    lines.add("");
    lines.addAll(costs(found.reports()));
    lines.add("");
    lines.add(" lower is better in every column; WA = bytes flushed and merged / bytes written,");
    lines.add(
        " RA = runs over a key (filtered: tables read to find one), SA = bytes on disk / live");
    lines.add(
        " bytes, transient = most bytes beyond what lay there before and after, of live bytes");
    lines.add("");
    found
        .reports()
        .forEach(
            (policy, report) -> {
              if (report.lackedBytes() > 0) {
                lines.add(
                    " "
                        + policy
                        + ": at the end nothing it wanted could start within --max-transient; "
                        + ByteText.format(report.lackedBytes())
                        + " are needed");
                lines.add("");
              }
            });
    lines.addAll(causes(found.reports()));
    return String.join("\n", lines) + "\n";
  }

  private static List<String> costs(Map<String, SimulationReport> reports) {
    List<List<String>> rows = new ArrayList<>();
    rows.add(
        List.of(
            "policy",
            "WA",
            "RA mean",
            "RA max",
            "filtered",
            "SA steady",
            "SA peak",
            "transient",
            "flushes",
            "merged"));
    reports.forEach(
        (policy, report) ->
            rows.add(
                List.of(
                    policy,
                    TextTable.number("%.2f", report.wa()),
                    TextTable.number("%.1f", report.raMean()),
                    TextTable.number("%.0f", report.raMax()),
                    TextTable.number("%.2f", report.raFilteredMean()),
                    TextTable.number("%.2f", report.saSteady()),
                    TextTable.number("%.2f", report.saPeak()),
                    TextTable.number("%.2f%%", PERCENT * report.transientPeak()),
                    Long.toString(report.flushes()),
                    ByteText.format(
                        report.causes().stream()
                            .mapToLong(SimulationReport.Cause::writtenBytes)
                            .sum()))));
    return TextTable.indented(rows);
  }

  private static List<String> causes(Map<String, SimulationReport> reports) {
    List<List<String>> rows = new ArrayList<>();
    rows.add(List.of("bytes by cause", "plans", "read", "written", "moved"));
    reports.forEach(
        (policy, report) -> {
          rows.add(List.of(policy, "", "", "", ""));
          rows.add(
              List.of(
                  "  flush",
                  Long.toString(report.flushes()),
                  TextTable.NOTHING,
                  bytes(report.flushedBytes()),
                  TextTable.NOTHING));
          for (SimulationReport.Cause cause : report.causes()) {
            rows.add(
                List.of(
                    "  " + cause.kind() + " " + cause.code(),
                    Long.toString(cause.plans()),
                    bytes(cause.readBytes()),
                    bytes(cause.writtenBytes()),
                    bytes(cause.movedBytes())));
          }
        });
    return TextTable.indented(rows);
  }

  private static String bytes(long bytes) {
    return bytes == 0 ? TextTable.NOTHING : ByteText.format(bytes);
  }
}
