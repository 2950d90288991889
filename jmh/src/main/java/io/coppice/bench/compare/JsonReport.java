// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.bench.compare;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.coppice.bench.suite.DataTable;
import io.coppice.bench.suite.RecordJson;
import io.coppice.bench.suite.Records;
import io.coppice.bench.suite.ReportJson;
import io.coppice.bench.workload.RowState;
import java.util.List;
import java.util.TreeMap;

/**
 * The report as JSON. Published names are never renamed. Figures that a run did not reach are null.
 * Numbers are rounded to their precision.
 */
final class JsonReport {

  private static final List<Figure> FIGURES = DataTable.rows(Figure.class, "json.txt");

  private final ObjectNode root = JsonNodeFactory.instance.objectNode();

  private JsonReport() {}

  static String text(CompareOptions options, Environment environment, List<RunResult> results) {
    JsonReport report = new JsonReport();
    report.head(options, environment, results);
    ArrayNode runs = report.root.putArray("runs");
    results.forEach(result -> run(runs.addObject(), result));
    return RecordJson.file(report.root);
  }

  private void head(CompareOptions options, Environment environment, List<RunResult> results) {
    root.put(
        "cassandra",
        results.stream()
            .map(RunResult::cassandra)
            .filter(version -> !version.isEmpty())
            .findFirst()
            .orElse(environment.cassandra()));
    root.put("scale", options.scale().name());
    root.put("seed", options.seed());
    root.put("repeats", options.repeats());
    root.put("majors_only", options.majorsOnly());
    root.put("valid", results.stream().allMatch(result -> RunValidity.on(result).believed()));
    ObjectNode machine = root.putObject("machine");
    machine.put("java", environment.nodeJava());
    machine.put("cores", environment.cores());
    machine.put("load", ReportJson.rounded(environment.load()));
    machine.put("busy", environment.isBusy());
    machine.put("system", environment.system());
    ObjectNode load = root.putObject("load");
    load.put("flushes", options.scale().load().flushes());
    load.put("operations_per_flush", options.scale().load().operationsPerFlush());
    load.put("value_bytes", options.scale().load().valueBytes());
    load.put("table_mib", options.scale().node().tableMib());
    load.put("node_heap_mib", options.scale().node().heapMib());
    load.put("node_quick_compiler", options.scale().node().quickCompiler());
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
        ObjectNode node = phases.putObject(phase.name().toLowerCase());
        node.put("seconds", ReportJson.rounded(time.seconds()));
        node.put("processor_seconds", ReportJson.rounded(time.processorSeconds()));
      }
    }
    ObjectNode options = run.putObject("options");
    new TreeMap<>(result.contender().options()).forEach(options::put);
    ArrayNode checks = run.putArray("checks");
    result.checks().forEach(check -> check(checks.addObject(), check));
    RunValidity verdict = RunValidity.on(result);
    run.put("valid", verdict.believed());
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

    void put(ObjectNode run, RunResult result) {
      double value = Column.figure(result, of);
      if (Double.isNaN(value) && kind.equals("optional")) {
        return;
      }
      String[] names = name.split("\\.");
      ObjectNode node = names.length == 1 ? run : run.withObject("/" + names[0]);
      boolean whole =
          kind.equals("whole") || !of.contains("/") && !(Records.at(result, of) instanceof Double);
      if (whole && !Double.isNaN(value)) {
        node.put(names[names.length - 1], Math.round(value));
      } else {
        node.put(names[names.length - 1], ReportJson.rounded(value));
      }
    }
  }
}
