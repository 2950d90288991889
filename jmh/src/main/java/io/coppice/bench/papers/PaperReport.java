// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.bench.papers;

import static io.coppice.bench.report.Texts.text;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.coppice.bench.report.Machine;
import io.coppice.bench.report.RecordJson;
import io.coppice.bench.report.ReportJson;
import io.coppice.bench.report.WholeFile;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * Report of a run of experiments, as text and as a file in the form of the suites' files. Each row
 * has claim, prediction, measurement, verdict and reason.
 */
record PaperReport(
    String name, String command, Machine machine, List<String> facts, List<Finding> findings) {

  PaperReport {
    facts = List.copyOf(facts);
    findings = List.copyOf(findings);
  }

  List<String> lines() {
    List<String> lines = new ArrayList<>(facts);
    lines.add(machine.line());
    for (Finding finding : findings) {
      lines.add("");
      lines.add(
          text(
              "%-10s %s: %s",
              finding.id(), finding.verdict().label().toUpperCase(Locale.ROOT), finding.set()));
      lines.add("  paper      " + finding.claim());
      lines.add("  predicted  " + finding.predicted());
      lines.add("  measured   " + finding.measured());
      lines.add("  because    " + finding.reason());
    }
    lines.add("");
    lines.add(summary());
    return lines;
  }

  private String summary() {
    List<String> counts = new ArrayList<>();
    for (Verdict verdict : Verdict.values()) {
      long count = findings.stream().filter(each -> each.verdict() == verdict).count();
      counts.add(verdict.label() + " " + count);
    }
    return findings.size() + " experiments: " + String.join(", ", counts);
  }

  String json() {
    ObjectNode root = ReportJson.of(name, command, machine, facts);
    root.put("rounds", 1);
    var rows = root.putArray("rows");
    for (Finding finding : findings) {
      ReportJson.fill(
          rows.addObject(),
          finding,
          "id set ours peer ratio goal= met= claim predicted measured verdict=verdict.label reason");
    }
    return RecordJson.file(root);
  }

  /** Writes the report file atomically, creates the directory if needed, and returns its path. */
  Path write(Path directory) throws IOException {
    return WholeFile.write(directory, name + ".json", json());
  }
}
