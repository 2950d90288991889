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

  /** Figures before those of the runs. */
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
    boolean valid = results.stream().allMatch(result -> RunValidity.on(result).believed());
    ObjectNode root =
        ReportJson.fill(
            JsonNodeFactory.instance.objectNode(),
            new Head(cassandra, options, environment, valid),
            "cassandra scale=options.scale.name seed=options.seed repeats=options.repeats"
                + " majors_only=options.majorsOnly valid machine.java=environment.nodeJava"
                + " machine.cores=environment.cores machine.load=environment.load"
                + " machine.busy=environment.isBusy machine.system=environment.system"
                + " load.flushes=options.scale.load.flushes"
                + " load.operations_per_flush=options.scale.load.operationsPerFlush"
                + " load.value_bytes=options.scale.load.valueBytes"
                + " load.table_mib=options.scale.node.tableMib"
                + " load.node_heap_mib=options.scale.node.heapMib"
                + " load.node_quick_compiler=options.scale.node.quickCompiler");
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
      boolean whole = kind.equals("whole") && !Double.isNaN(value);
      Object exact = whole ? (Object) Math.round(value) : Records.value(result, of);
      ReportJson.put(run, name, exact);
    }
  }
}
