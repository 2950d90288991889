// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.bench.compare.report;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.coppice.bench.report.DataTable;
import io.coppice.bench.report.RecordJson;
import io.coppice.bench.report.Records;
import io.coppice.bench.report.ReportJson;
import io.coppice.bench.workload.RowState;
import java.util.List;
import java.util.TreeMap;

/**
 * The report of a comparison as JSON. Published names are never renamed. Figures that a run did not
 * reach are null. Numbers are rounded.
 */
final class JsonReport {

  private static final List<Figure> HEAD = DataTable.rows(Figure.class, "json-head.txt");
  private static final List<Figure> FIGURES = DataTable.rows(Figure.class, "json.txt");

  /** Head of the report: everything before the runs. */
  private record Head(
      String cassandra, CompareOptions options, Environment environment, boolean valid) {}

  private JsonReport() {}

  static String text(CompareOptions options, Environment environment, List<RunResult> results) {
    String cassandra =
        results.stream()
            .map(RunResult::cassandra)
            .filter(version -> !version.isEmpty())
            .findFirst()
            .orElse(environment.cassandra());
    boolean valid = results.stream().allMatch(result -> RunValidity.on(result).isValid());
    Head head = new Head(cassandra, options, environment, valid);
    ObjectNode root = JsonNodeFactory.instance.objectNode();
    HEAD.forEach(figure -> figure.put(root, head));
    ArrayNode runs = root.putArray("runs");
    results.forEach(result -> run(runs.addObject(), result));
    return RecordJson.file(root);
  }

  private static void run(ObjectNode run, RunResult result) {
    run.put("strategy", result.contender().id());
    run.put("class", result.strategyClass());
    run.put("rows_written", result.load() == null ? 0 : result.load().statements());
    FIGURES.forEach(figure -> figure.put(run, result));
    ObjectNode phases = run.putObject("phases");
    for (ComparisonProgress.Phase phase : ComparisonProgress.Phase.values()) {
      Figures.PhaseTime time = result.phases().get(phase);
      if (time != null) {
        ReportJson.fill(
            phases.putObject(phase.name().toLowerCase()),
            time,
            "seconds processor_seconds=processorSeconds");
      }
    }
    ObjectNode options = run.putObject("options");
    new TreeMap<>(result.contender().options()).forEach(options::put);
    ArrayNode checks = run.putArray("checks");
    result.checks().forEach(check -> check(checks.addObject(), check));
    RunValidity verdict = RunValidity.on(result);
    run.put("valid", verdict.isValid());
    ArrayNode problems = run.putArray("problems");
    verdict.problems().forEach(problem -> problems.add(problem.sentence()));
  }

  private static void check(ObjectNode node, Figures.Check check) {
    node.put("when", check.when());
    for (RowState state : RowState.values()) {
      node.put(state.name().toLowerCase(), check.rows().getOrDefault(state, 0L));
    }
    node.put("wrong", check.wrong());
  }

  private record Figure(String name, String of, String kind) {

    void put(ObjectNode node, Record record) {
      Object value = Records.value(record, of);
      boolean absent = value == null || value.equals(Double.NaN);
      if (!absent || !kind.equals("optional")) {
        boolean whole = kind.equals("whole") && !absent;
        ReportJson.put(node, name, whole ? Math.round(((Number) value).doubleValue()) : value);
      }
    }
  }
}
