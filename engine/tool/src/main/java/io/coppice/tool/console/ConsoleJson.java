// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.tool.console;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.coppice.policy.MergeRule;
import io.coppice.policy.observe.StrategySnapshot;
import io.coppice.policy.observe.TableMap;
import io.coppice.policy.spec.PolicySpec;
import io.coppice.policy.spec.PolicySpecException;
import io.coppice.simulator.whatif.WhatIfReport;
import io.coppice.tool.console.watch.Beans;
import io.coppice.tool.console.watch.DownsampledHistory;
import io.coppice.tool.console.watch.LiveTable;
import io.coppice.tool.console.watch.ProcessStatus;
import io.coppice.tool.console.watch.Rates;
import io.coppice.tool.console.watch.RunningCompaction;
import io.coppice.tool.console.watch.TableMapJson;
import io.coppice.tool.console.watch.WatchedProcess;
import java.io.IOException;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.stream.IntStream;

/** The JSON answers of the console's HTTP API. An unknown value is null. Stateless. */
final class ConsoleJson {

  private static final ObjectMapper JSON = new ObjectMapper();
  private static final long HOUR_MILLIS = 3_600_000;
  private static final long MINUTE_MILLIS = 60_000;
  private static final int SPARK_POINTS = 40;
  private static final int MAX_POINTS = 600;

  private ConsoleJson() {}

  /** Returns all processes, their tables and their running compactions. */
  static ObjectNode state(List<WatchedProcess> nodes, boolean allowChanges) {
    ObjectNode state = JSON.createObjectNode();
    state.put("now", System.currentTimeMillis());
    state.put("allowChanges", allowChanges);
    ArrayNode all = state.putArray("nodes");
    for (int i = 0; i < nodes.size(); i++) {
      all.add(node(i, nodes.get(i)));
    }
    return state;
  }

  private static ObjectNode node(int index, WatchedProcess node) {
    ProcessStatus view = node.view();
    ObjectNode json = JSON.createObjectNode();
    json.put("index", index);
    json.put("name", node.name());
    json.put("state", node.state().name().toLowerCase(Locale.ROOT));
    json.put("message", node.message());
    json.put("seen", view.atMillis());
    json.put("version", view.version());
    json.put("plugin", view.plugin());
    json.put("lookMillis", node.sampleMillis());
    room(json, view);
    ArrayNode tables = json.putArray("tables");
    view.tables().forEach(table -> tables.add(row(node, table)));
    ArrayNode compactions = json.putArray("compactions");
    view.compactions().forEach(one -> compactions.add(compaction(one)));
    return json;
  }

  /**
   * Adds the compaction limits of a process, and how full its disk is, in bytes.
   *
   * <p>The peak is an upper bound: it assumes that all wanted plans and the rest of every merge run
   * at once, and that no input is deleted before the end. It covers tables with a Coppice policy
   * alone, because other strategies do not report their backlog.
   */
  static void room(ObjectNode json, ProcessStatus view) {
    whole(json, "compactors", view.limits().compactors());
    whole(json, "throughput", view.limits().bytesPerSecond());
    long live = 0;
    long wanted = 0;
    long free = -1;
    int uncounted = 0;
    for (LiveTable table : view.tables()) {
      live += Math.max(0, table.figures().liveBytes());
      wanted += Math.max(0, table.figures().backlogBytes());
      uncounted += table.figures().backlogBytes() < 0 && table.figures().pending() != 0 ? 1 : 0;
      long here = table.snapshot().map(of -> of.backlog().freeBytes()).orElse(-1L);
      free = here >= 0 && (free < 0 || here < free) ? here : free;
    }
    for (RunningCompaction one : view.compactions()) {
      wanted += one.own() ? Math.max(0, one.totalBytes() - one.doneBytes()) : 0;
    }
    json.put("live", live);
    json.put("peak", live + wanted);
    json.put("uncounted", uncounted);
    whole(json, "free", free);
    json.put("overfills", free >= 0 && wanted > free);
  }

  /**
   * Returns a row of the overview: the metrics of the host, and the rates that this console has
   * measured, each with its window in seconds.
   */
  static ObjectNode row(WatchedProcess node, LiveTable table) {
    List<DownsampledHistory.Seen<LiveTable.Figures>> seen = node.history().figures(table.id());
    long now = node.view().atMillis();
    final Rates hour = Rates.since(seen, now - HOUR_MILLIS);
    final Rates minute = Rates.since(seen, now - MINUTE_MILLIS);
    LiveTable.Figures figures = table.figures();
    ObjectNode json = JSON.createObjectNode();
    json.put("id", table.id());
    json.put("ours", table.ours());
    json.put("store", table.kind() == Beans.Kind.STORE);
    json.put("strategy", table.strategy());
    json.put(
        "tuned", table.snapshot().map(of -> !of.policy().equals(of.configured())).orElse(false));
    number(json, "wa", table.writeAmplification());
    number(json, "ra", figures.tablesPerRead());
    number(json, "sa", figures.spaceBound());
    whole(json, "live", figures.liveBytes());
    whole(json, "runs", figures.runs());
    whole(json, "tables", figures.tables());
    whole(json, "pending", figures.pending());
    whole(json, "backlog", figures.backlogBytes());
    whole(json, "backlogSeconds", table.snapshot().map(of -> of.backlog().seconds()).orElse(-1L));
    number(json, "readP99", figures.readP99Micros());
    // Rates measured by this console, each with its window.
    number(json, "seenWa", hour.writeAmplification());
    number(json, "seenSeconds", hour.seconds());
    number(json, "rateSeconds", minute.seconds());
    number(json, "flushRate", minute.perSecond(minute.flushedBytes()));
    number(json, "mergeRate", minute.perSecond(minute.mergedBytes()));
    number(json, "readRate", minute.perSecond(minute.reads()));
    number(json, "writeRate", minute.perSecond(minute.writes()));
    ArrayNode spark = json.putArray("spark");
    int from = Math.max(0, seen.size() - SPARK_POINTS);
    for (int i = Math.max(1, from); i < seen.size(); i++) {
      Rates step = Rates.between(seen.get(i - 1), seen.get(i));
      spark.add(Math.round(step.perSecond(step.flushedBytes() + step.mergedBytes())));
    }
    return json;
  }

  static ObjectNode compaction(RunningCompaction one) {
    ObjectNode json = JSON.createObjectNode();
    json.put("id", one.id());
    json.put("table", one.table());
    json.put("what", one.what());
    json.put("sentence", one.sentence());
    whole(json, "done", one.doneBytes());
    whole(json, "total", one.totalBytes());
    whole(json, "level", one.level());
    json.put("own", one.own());
    number(json, "rate", one.bytesPerSecond());
    double left = Math.max(0, one.totalBytes() - one.doneBytes());
    number(json, "eta", one.bytesPerSecond() > 0 ? left / one.bytesPerSecond() : Double.NaN);
    return json;
  }

  /**
   * Returns one table: its policy, table map, history and decisions.
   *
   * @param nodes all watched processes
   * @param millis time from the first sample of the series to its last
   */
  static ObjectNode table(
      WatchedProcess node,
      LiveTable table,
      Changes changes,
      List<WatchedProcess> nodes,
      long millis)
      throws IOException {
    ObjectNode json = JSON.createObjectNode();
    json.set("row", row(node, table));
    TableMap map = node.map(table.id());
    if (map != null) {
      json.set("map", JSON.readTree(TableMapJson.json(map)));
      table.snapshot().ifPresent(of -> json.set("capacity", capacity(of.policy(), map)));
    }
    if (table.snapshot().isPresent()) {
      json.set("snapshot", snapshot(table.snapshot().get()));
    }
    json.put("parameters", table.parameters());
    json.set("measured", measured(node, table, json.path("map")));
    json.set("series", series(node.history().figures(table.id()), millis));
    ArrayNode times = json.putArray("times");
    node.history().times(table.id()).forEach(times::add);
    List<Change> here = changes.of(node.name(), table.id());
    ArrayNode own = json.putArray("changes");
    here.forEach(
        one -> own.add(one.json().put("undoFault", TuningActions.undoFault(one, changes, nodes))));
    json.set("policies", policies(node.history().policies(table.id())));
    here.stream()
        .filter(one -> !one.what().equals("stop"))
        .findFirst()
        .filter(last -> last.what().equals("apply") && last.after().equals(table.inForce()))
        .ifPresent(last -> json.set("since", since(node, table, last, json.path("map"))));
    BacklogWarning.of(
            node.history().figures(table.id()), here, table.inForce(), node.view().atMillis())
        .ifPresent(
            growth -> {
              ObjectNode grown = json.putObject("growth");
              grown.set(
                  "change",
                  growth
                      .change()
                      .json()
                      .put("undoFault", TuningActions.undoFault(growth.change(), changes, nodes)));
              grown.put("from", growth.fromBytes());
              grown.put("to", growth.toBytes());
            });
    return json;
  }

  /**
   * Returns the cost since a change that is still active, in the quantities of a forecast. Space
   * amplification is an upper bound. An unknown quantity is null.
   */
  private static ObjectNode since(
      WatchedProcess node, LiveTable table, Change change, JsonNode map) {
    // Another client may have reverted the change and applied it again.
    long from =
        node.history().policies(table.id()).stream()
            .mapToLong(DownsampledHistory.Seen::atMillis)
            .reduce(change.atMillis(), Math::max);
    Rates rates = Rates.since(node.history().figures(table.id()), from);
    ObjectNode since = JSON.createObjectNode();
    since.put("change", change.id());
    since.put("seconds", rates.seconds());
    number(since, "wa", rates.writeAmplification());
    number(since, "runs", map.isObject() ? WhatIfTrial.runsPerKey(map) : Double.NaN);
    number(since, "sa", table.figures().spaceBound());
    return since;
  }

  /**
   * Returns the cost of the last hour, in the quantities of a forecast. An unknown quantity is
   * null.
   */
  private static ObjectNode measured(WatchedProcess node, LiveTable table, JsonNode map) {
    Rates hour =
        Rates.since(node.history().figures(table.id()), node.view().atMillis() - HOUR_MILLIS);
    ObjectNode measured = JSON.createObjectNode();
    number(measured, "wa", hour.writeAmplification());
    number(measured, "runs", map.isObject() ? WhatIfTrial.runsPerKey(map) : Double.NaN);
    number(measured, "sa", table.figures().spaceBound());
    return measured;
  }

  /**
   * Returns every policy that the table can have, with its options. The active policy shows its
   * values, another one its defaults; options that every policy has keep their active value. The
   * list is empty if the active policy is unknown here.
   */
  static ObjectNode policies(LiveTable table) {
    ObjectNode json = JSON.createObjectNode();
    ArrayNode all = json.putArray("policies");
    MergeRule rule = WhatIfTrial.rule(table.kind());
    PolicySpec present;
    try {
      present = WhatIfTrial.parse(table.inForce(), rule);
    } catch (PolicySpecException e) {
      // A policy of the application, or of a newer version: its options alone can be tuned.
      return json;
    }
    for (String name : PolicySpec.policyNames()) {
      PolicySpec spec =
          name.equals(present.policyName())
              ? present
              : present.with(PolicyNeighbors.other(name, present));
      ObjectNode node = all.addObject();
      node.put("name", name);
      node.set("tunables", tunables(StrategySnapshot.Tunable.of(spec, spec)));
    }
    return json;
  }

  /** Returns the faults of options that were typed. */
  static ObjectNode faults(List<String> faults) {
    ObjectNode json = JSON.createObjectNode();
    ArrayNode all = json.putArray("faults");
    faults.forEach(all::add);
    return json;
  }

  /**
   * Returns the policies that a simulation finds better than the active one in some figure.
   *
   * @param seconds length of the window of the load
   */
  static ObjectNode advice(WhatIfTrial.Advice advice, double seconds) {
    ObjectNode json = JSON.createObjectNode();
    json.set("present", forecast(advice.present()));
    ArrayNode all = json.putArray("better");
    for (WhatIfTrial.Candidate one : advice.better()) {
      ObjectNode node = all.addObject();
      node.put("change", one.change());
      node.set("report", forecast(one.report()));
      node.put("overfills", advice.free() >= 0 && one.report().transientBytes() > advice.free());
    }
    json.put("tried", advice.tried());
    json.put("left", advice.left());
    number(json, "seconds", seconds);
    return json;
  }

  /** Returns the policy changes that were observed, regardless of their origin, oldest first. */
  private static ArrayNode policies(List<DownsampledHistory.Seen<String>> seen) {
    ArrayNode all = JSON.createArrayNode();
    for (int i = 1; i < seen.size(); i++) {
      ObjectNode one = all.addObject();
      one.put("at", seen.get(i).atMillis());
      one.put("before", seen.get(i - 1).what());
      one.put("after", seen.get(i).what());
    }
    return all;
  }

  /**
   * Returns the capacity of each level in bytes or in runs, level 0 first. A number that the policy
   * does not set is null. The list is empty if the policy is unknown here.
   */
  private static ArrayNode capacity(String policy, TableMap map) {
    ArrayNode levels = JSON.createArrayNode();
    MergeRule rule = map.axis().equals(TableMap.TOKEN) ? MergeRule.FREE : MergeRule.ADJACENT;
    PolicySpec spec;
    try {
      spec = WhatIfTrial.parse(policy, rule);
    } catch (PolicySpecException e) {
      // A custom policy of the application, or a policy of a newer version.
      return levels;
    }
    int deepest = Math.max(0, IntStream.of(map.level()).max().orElse(0));
    for (int level = 0; level <= deepest; level++) {
      Capacity capacity = Capacity.of(spec, rule, level, deepest);
      ObjectNode node = levels.addObject();
      whole(node, "bytes", capacity.bytes());
      whole(node, "runs", capacity.runs());
    }
    return levels;
  }

  private static ObjectNode snapshot(StrategySnapshot of) {
    ObjectNode json = JSON.createObjectNode();
    json.put("policy", of.policy());
    json.put("configured", of.configured());
    json.set("tunables", tunables(of.tunables()));
    ArrayNode runs = json.putArray("runs");
    for (StrategySnapshot.Run one : of.runs()) {
      ObjectNode node = runs.addObject();
      node.put("part", one.part());
      node.put("level", one.level());
      node.put("run", one.run());
      node.put("tables", one.tables());
      node.put("bytes", one.bytes());
      node.put("entries", one.entries());
      node.put("low", one.low());
      node.put("high", one.high());
    }
    json.set("decisions", decisions(of.decisions()));
    ObjectNode backlog = json.putObject("backlog");
    backlog.put("plans", of.backlog().plans());
    backlog.put("bytes", of.backlog().bytes());
    backlog.put("headroom", of.backlog().headroomBytes());
    return json;
  }

  private static ArrayNode tunables(List<StrategySnapshot.Tunable> some) {
    ArrayNode tunables = JSON.createArrayNode();
    for (StrategySnapshot.Tunable one : some) {
      ObjectNode node = tunables.addObject();
      node.put("name", one.name());
      node.put("type", one.type());
      node.put("range", one.range());
      node.put("unit", one.unit());
      node.put("standard", one.standard());
      node.put("configured", one.configured());
      node.put("current", one.current());
      node.put("needsRewrite", one.needsRewrite());
      node.put("effect", one.effect());
    }
    return tunables;
  }

  private static ArrayNode decisions(List<StrategySnapshot.Decision> some) {
    ArrayNode all = JSON.createArrayNode();
    for (StrategySnapshot.Decision one : some) {
      ObjectNode node = all.addObject();
      node.put("id", one.id());
      node.put("at", one.atMillis());
      node.put("kind", one.kind());
      node.put("code", one.code());
      node.put("sentence", one.sentence());
      node.put("tables", one.tables());
      node.put("bytes", one.bytes());
      node.put("level", one.level());
    }
    return all;
  }

  /**
   * Returns a table at an earlier time: its map, and the decisions up to that time.
   *
   * @param map the table map as JSON
   */
  static ObjectNode replay(byte[] map, List<StrategySnapshot.Decision> decided) throws IOException {
    ObjectNode json = JSON.createObjectNode();
    json.set("map", JSON.readTree(map));
    json.set("decisions", decisions(decided));
    return json;
  }

  /**
   * Returns the history of a table over the last day, as columns, oldest first, with at most about
   * 1,200 samples.
   *
   * @param millis time from the first sample to return to the last
   */
  private static ObjectNode series(
      List<DownsampledHistory.Seen<LiveTable.Figures>> seen, long millis) {
    ObjectNode json = JSON.createObjectNode();
    ArrayNode at = json.putArray("at");
    ArrayNode wa = json.putArray("wa");
    ArrayNode ra = json.putArray("ra");
    ArrayNode sa = json.putArray("sa");
    ArrayNode live = json.putArray("live");
    ArrayNode runs = json.putArray("runs");
    ArrayNode flush = json.putArray("flush");
    ArrayNode merge = json.putArray("merge");
    ArrayNode backlog = json.putArray("backlog");
    int from = 0;
    while (from < seen.size() - 1
        && seen.get(seen.size() - 1).atMillis() - seen.get(from).atMillis() > millis) {
      from++;
    }
    int step = Math.max(1, (seen.size() - from) / MAX_POINTS);
    // Amplification is averaged over five minutes, because merges come in bursts.
    int first = 0;
    for (int i = Math.max(from, step); i < seen.size(); i += step) {
      DownsampledHistory.Seen<LiveTable.Figures> one = seen.get(i);
      while (seen.get(first).atMillis() < one.atMillis() - 5 * MINUTE_MILLIS) {
        first++;
      }
      Rates window = Rates.between(seen.get(first), one);
      Rates latest = Rates.between(seen.get(i - step), one);
      at.add(one.atMillis());
      add(wa, window.writeAmplification());
      add(ra, latest.tablesPerRead());
      add(sa, one.what().spaceBound());
      whole(live, one.what().liveBytes());
      whole(runs, one.what().runs());
      add(flush, latest.perSecond(latest.flushedBytes()));
      add(merge, latest.perSecond(latest.mergedBytes()));
      whole(backlog, one.what().backlogBytes());
    }
    return json;
  }

  /**
   * Returns the result of a simulation.
   *
   * @param seconds length of the window of the measured write amplification
   */
  static ObjectNode trial(WhatIfTrial.Result result, double seconds) {
    ObjectNode json = JSON.createObjectNode();
    json.put("policy", result.policy());
    whole(json, "free", result.freeBytes());
    json.put("overfills", result.overfills());
    json.set("present", forecast(result.present()));
    json.set("proposed", forecast(result.proposed()));
    number(json, "settleSeconds", result.settleSeconds());
    number(json, "horizonSeconds", result.horizonSeconds());
    ObjectNode measured = json.putObject("measured");
    number(measured, "wa", result.measuredWriteAmplification());
    number(measured, "runs", result.measuredRuns());
    number(measured, "seconds", seconds);
    result
        .error()
        .ifPresent(
            error -> {
              ObjectNode node = json.putObject("error");
              number(node, "seconds", error.seconds());
              number(node, "simulated", error.simulated());
              number(node, "measured", error.measured());
              number(node, "share", error.share());
            });
    ArrayNode notes = json.putArray("notes");
    result.notes().forEach(notes::add);
    return json;
  }

  private static ObjectNode forecast(WhatIfReport of) {
    ObjectNode json = JSON.createObjectNode();
    number(json, "wa", of.writeAmplification());
    number(json, "runs", of.runsMean());
    number(json, "sa", of.spaceMean());
    whole(json, "transient", of.transientBytes());
    json.put("settle", of.settleBytes());
    json.put("flushes", of.flushes());
    json.put("flushed", of.flushedBytes());
    return json;
  }

  /** Returns all changes, newest first, each with the measurement after it, if there is one. */
  static ObjectNode changes(Changes changes, List<WatchedProcess> nodes) {
    ObjectNode json = JSON.createObjectNode();
    ArrayNode all = json.putArray("changes");
    for (Change one : changes.all()) {
      ObjectNode shown = change(one, changes);
      shown.put("undoFault", TuningActions.undoFault(one, changes, nodes));
      changes
          .measured(one)
          .or(() -> measured(one, changes, nodes))
          .ifPresent(
              found -> {
                ObjectNode measured = shown.putObject("measured");
                number(measured, "wa", found.writeAmplification());
                measured.put("seconds", Math.round(found.seconds()));
                measured.put("over", found.over());
              });
      all.add(shown);
    }
    return json;
  }

  /**
   * Returns the cost that this console has measured after a change; empty if it missed the change's
   * first hour.
   */
  static Optional<MeasuredCost> measured(
      Change change, Changes changes, List<WatchedProcess> nodes) {
    long age = System.currentTimeMillis() - change.atMillis();
    return change.what().equals("stop") || age > DownsampledHistory.KEPT_MILLIS
        ? Optional.empty()
        : nodes.stream()
            .filter(node -> node.name().equals(change.node()))
            .findFirst()
            .flatMap(
                node ->
                    MeasuredCost.of(
                        node.history().figures(change.table()),
                        change,
                        changes.of(change.node(), change.table()),
                        node.history().policies(change.table())));
  }

  /** Returns a change and, if it could not be saved on disk, the reason. */
  static ObjectNode change(Change change, Changes changes) {
    return change.json().put("fault", changes.fault(change));
  }

  static void number(ObjectNode json, String name, double number) {
    if (Double.isFinite(number)) {
      json.put(name, number);
    } else {
      json.putNull(name);
    }
  }

  private static void whole(ObjectNode json, String name, long number) {
    if (number >= 0) {
      json.put(name, number);
    } else {
      json.putNull(name);
    }
  }

  private static void whole(ArrayNode array, long number) {
    if (number >= 0) {
      array.add(number);
    } else {
      array.addNull();
    }
  }

  private static void add(ArrayNode array, double number) {
    if (Double.isFinite(number)) {
      array.add(number);
    } else {
      array.addNull();
    }
  }
}
