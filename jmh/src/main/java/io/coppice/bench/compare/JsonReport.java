// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.bench.compare;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.coppice.bench.suite.RecordJson;
import io.coppice.bench.workload.RowState;
import java.util.List;

/**
 * The report as JSON. Published names are never renamed. Figures that a run did not reach are null.
 * Numbers are rounded to their precision.
 */
final class JsonReport {

  private static final double THOUSANDTHS = 1_000;

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
    machine.put("load", rounded(environment.load()));
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
    put(run, "write_amplification", result, Column.WRITE_AMPLIFICATION);
    ObjectNode tables = run.putObject("sstables_per_read");
    put(tables, "hit", result, Column.HIT);
    put(tables, "miss", result, Column.MISS);
    put(tables, "scan10", result, Column.SCAN);
    put(tables, "hit_at_end", result, Column.HIT_AT_END);
    ObjectNode space = run.putObject("space");
    put(space, "mean", result, Column.MEAN_SPACE);
    put(space, "peak", result, Column.PEAK_SPACE);
    ObjectNode major = run.putObject("major");
    put(major, "extra_mb", result, Column.MAJOR_MB);
    put(major, "extra_percent", result, Column.MAJOR_PERCENT);
    put(major, "extra_percent_of_live", result, Column.MAJOR_PERCENT_OF_LIVE);
    put(major, "seconds", result, Column.MAJOR_SECONDS);
    put(major, "reads", result, Column.MAJOR_READS);
    put(major, "read_p99_us", result, Column.MAJOR_P99);
    ObjectNode latency = run.putObject("read_us");
    put(latency, "p50", result, Column.P50);
    put(latency, "p99", result, Column.P99);
    ObjectNode stalls = run.putObject("stalls");
    put(stalls, "count", result, Column.STALLS);
    put(stalls, "ms", result, Column.STALL_MILLIS);
    run.put("rows_written", result.load() == null ? 0 : result.load().statements());
    run.put("rows_verified", result.rowsVerified());
    run.put("rows_wrong", result.rowsWrong());
    details(run, result);
  }

  private static void details(ObjectNode run, RunResult result) {
    run.put("repeat", result.repeat());
    run.put("seconds", rounded(result.seconds()));
    ObjectNode phases = run.putObject("phases");
    for (ComparisonProgress.Phase phase : ComparisonProgress.Phase.values()) {
      Figures.PhaseTime time = result.phases().get(phase);
      if (time != null) {
        ObjectNode node = phases.putObject(phase.name().toLowerCase());
        node.put("seconds", rounded(time.seconds()));
        node.put("processor_seconds", rounded(time.processorSeconds()));
      }
    }
    ObjectNode options = run.putObject("options");
    result.contender().options().entrySet().stream()
        .sorted(java.util.Map.Entry.comparingByKey())
        .forEach(option -> options.put(option.getKey(), option.getValue()));
    if (result.load() != null) {
      window(run.putObject("window"), result.load().window());
      load(run.putObject("work"), result.load());
      decisions(run.putObject("decisions"), result.load().decisions());
    }
    ArrayNode checks = run.putArray("checks");
    result.checks().forEach(check -> check(checks.addObject(), check));
    RunValidity verdict = RunValidity.on(result);
    run.put("valid", verdict.believed());
    ArrayNode problems = run.putArray("problems");
    verdict.problems().forEach(problem -> problems.add(problem.sentence()));
  }

  private static void window(ObjectNode node, Figures.Window window) {
    node.put("flushes", window.flushes());
    node.put("growth", rounded(window.growth()));
    node.put("flushed_bytes", window.flushed());
    node.put("rewritten_bytes", window.rewritten());
    node.put("runs_per_token_mean", rounded(window.meanRuns()));
    node.put("runs_per_token_max", window.maxRuns());
    node.put("candidates_p99", window.candidates99());
    node.put("space_mean", rounded(window.meanSpace()));
    node.put("read_samples", window.hitSamples());
  }

  private static void decisions(ObjectNode node, Figures.Decisions decisions) {
    if (decisions != null) {
      node.put("delays", decisions.delays());
      node.put("merges_full_level", decisions.descents());
      node.put("merges_by_reads", decisions.readMerges());
      node.put("merges_other", decisions.otherMerges());
    }
  }

  private static void load(ObjectNode work, Figures.Load load) {
    work.put("flushes", load.work().flushes());
    work.put("rewrites", load.work().rewrites());
    work.put("moves", load.work().moves());
    work.put("drops", load.work().drops());
    work.put("flushed_bytes", load.bytes().flushed());
    work.put("rewritten_bytes", load.bytes().rewritten());
    work.put("counter_flushed_bytes", load.bytes().counterFlushed());
    work.put("counter_rewritten_bytes", load.bytes().counterRewritten());
    work.put("unannounced_bytes", load.bytes().unannounced());
    work.put("sstables", load.structure().tables());
    work.put("runs_per_token_mean", rounded(load.structure().meanOverlap()));
    work.put("runs_per_token_max", load.structure().maxOverlap());
    work.put("live_rows", load.liveRows());
    work.put("live_bytes", load.liveBytes());
    work.put("load_seconds", rounded(load.seconds()));
    work.put("slow_writes", load.stalls().slowWrites());
  }

  private static void check(ObjectNode node, Figures.Check check) {
    node.put("when", check.when());
    for (RowState state : RowState.values()) {
      node.put(state.name().toLowerCase(), check.rows().getOrDefault(state, 0L));
    }
    node.put("wrong", check.wrong());
  }

  private static void put(ObjectNode node, String name, RunResult result, Column column) {
    double figure = column.figure().applyAsDouble(result);
    if (Double.isNaN(figure)) {
      node.putNull(name);
    } else if (column.decimals() == 0) {
      node.put(name, Math.round(figure));
    } else {
      node.put(name, rounded(figure));
    }
  }

  private static double rounded(double figure) {
    return Math.round(figure * THOUSANDTHS) / THOUSANDTHS;
  }
}
