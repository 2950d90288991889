// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.tool.console;

import static org.assertj.core.api.Assertions.assertThat;

import io.coppice.policy.MergeRule;
import io.coppice.policy.observe.StrategySnapshot;
import io.coppice.policy.observe.TableMap;
import io.coppice.policy.spec.PolicySpec;
import io.coppice.simulator.whatif.WhatIfReport;
import io.coppice.tool.console.watch.Rates;
import io.coppice.tool.console.watch.TableMapJson;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * The what-if simulation beside recorded nodes of Cassandra 5.0. A file has what a node published
 * over JMX at two times, and what it measured over the flushes that followed. {@code
 * WhatIfRecorder}, among the plugin's tests, writes the files.
 */
class RecordedNodeTest {

  private static final double MAX_ERROR = 0.1;
  private static final String TRANSIENT = "Transient MB";

  private static final Path PAGE = Path.of("..", "..", "docs", "explanation", "simulator.md");

  /**
   * A recording.
   *
   * @param values numbers and texts by name
   * @param tables the tables of the node at the start of the forecast
   */
  private record Recording(Map<String, String> values, List<TableMap.Place> tables) {

    static Recording of(String name) throws IOException {
      Recording recording = new Recording(new HashMap<>(), new ArrayList<>());
      try (InputStream in =
          RecordedNodeTest.class.getResourceAsStream("/recorded-nodes/" + name + ".txt")) {
        assertThat(in).as(name).isNotNull();
        new String(in.readAllBytes(), StandardCharsets.UTF_8).lines().forEach(recording::read);
      }
      return recording;
    }

    private void read(String line) {
      int equals = line.indexOf('=');
      if (equals > 0) {
        values.put(line.substring(0, equals), line.substring(equals + 1));
        return;
      }
      String[] columns = line.split(" ");
      tables.add(
          new TableMap.Place(
              "",
              Integer.parseInt(columns[1]),
              Integer.parseInt(columns[2]),
              Double.parseDouble(columns[3]),
              Double.parseDouble(columns[4]),
              tables.size() + 1,
              Long.parseLong(columns[5]),
              Long.parseLong(columns[6]),
              columns.length > 7 ? Long.parseLong(columns[7]) : 0,
              0,
              0,
              0,
              TableMap.FREE,
              "",
              ""));
    }

    long number(String name) {
      return Long.parseLong(values.get(name));
    }

    private static byte[] map(List<TableMap.Place> tables) {
      return TableMapJson.json(TableMap.of("ks.t", 0, TableMap.TOKEN, tables, List.of()));
    }

    Rates rates(String interval) {
      return new Rates(
          1,
          number(interval + "_FlushedBytes"),
          number(interval + "_MergedBytes"),
          number(interval + "_MergeReadBytes"),
          number(interval + "_Flushes"),
          0,
          number(interval + "_Writes"),
          Double.NaN);
    }

    StrategySnapshot snapshot() {
      Map<String, Long> entries = new LinkedHashMap<>();
      for (TableMap.Place place : tables) {
        entries.merge(place.level() + " " + place.run(), place.entries(), Long::sum);
      }
      List<StrategySnapshot.Run> runs =
          entries.values().stream()
              .map(sum -> new StrategySnapshot.Run("", 0, 0, 1, 1, sum, 0, "", "", 0, 0, 0))
              .toList();
      String policy = values.get("policy");
      long merged = number("observed_MergedBytes");
      return new StrategySnapshot(
          "ks.t",
          policy,
          policy,
          List.of(),
          runs,
          List.of(),
          List.of(
              new StrategySnapshot.Counter("MergeReadBytes", number("observed_MergeReadBytes"))),
          new StrategySnapshot.Amplification(1, 0, number("observed_FlushedBytes"), merged),
          new StrategySnapshot.Backlog(0, 0, 0, 0, Long.MAX_VALUE, 0, -1),
          List.of());
    }

    /** Returns the recording with another text of the policy. */
    Recording with(String policy) {
      Map<String, String> changed = new HashMap<>(values);
      changed.put("policy", policy);
      return new Recording(changed, tables);
    }

    WhatIfReport forecast() throws IOException {
      int flushes = (int) rates("measured").flushes();
      // The observation began when the table was created.
      WhatIfTrial.Past past = new WhatIfTrial.Past(map(List.of()), rates("observed"));
      return WhatIfTrial.forecast(snapshot(), map(tables), past, flushes);
    }
  }

  /**
   * A figure of a node and of the simulation.
   *
   * @param name name in the header of its table on the page
   */
  private record Figure(String name, double node, double simulated) {

    /** Returns the row of a recording in the table of this figure. */
    String row(String recording) {
      int end = recording.lastIndexOf('-');
      return String.format(
          Locale.ROOT,
          "| %s | %s | %.2f | %.2f | %.2f |",
          recording.substring(0, end),
          recording.substring(end + 1),
          node,
          simulated,
          simulated / node);
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "leveled-uniform",
        "leveled-zipf",
        "leveled-limited-uniform",
        "leveled-limited-zipf",
        "delayed-uniform",
        "delayed-zipf",
        "delayed-deletes",
        "split-forest-uniform",
        "split-forest-zipf",
        "split-forest-uncleaned-uniform",
        "split-forest-uncleaned-zipf",
        "lazy-binomial-uniform",
        "lazy-binomial-zipf"
      })
  void theForecastIsWithinATenthOfTheNode(String name) throws IOException {
    Recording node = Recording.of(name);
    WhatIfReport said = node.forecast();
    assertThat(said.complete()).isTrue();
    Rates measured = node.rates("measured");
    assertThat(node.number("tracker_flushed")).isEqualTo(measured.flushedBytes());
    assertThat(node.number("tracker_merged")).isEqualTo(measured.mergedBytes());
    double written = said.flushedBytes() + said.settleBytes() + said.mergedBytes();
    double runsMean = Double.parseDouble(node.values.get("runs_mean"));
    List<Figure> figures =
        List.of(
            new Figure(
                "Write amplification",
                measured.writeAmplification(),
                written / said.flushedBytes()),
            new Figure("Runs", runsMean, said.runsMean()),
            new Figure(TRANSIENT, mb(node.number("transient")), mb(said.transientBytes())));
    String page = Files.readString(PAGE);
    PolicySpec policy = WhatIfTrial.parse(node.values.get("policy"), MergeRule.FREE);
    for (Figure figure : figures) {
      double allowed = MAX_ERROR * figure.node;
      if (figure.name.equals(TRANSIENT)) {
        allowed = Math.max(allowed, mb(policy.tableBytes()));
      }
      assertThat(Math.abs(figure.simulated - figure.node))
          .as("error of %s", figure.row(name))
          .isLessThanOrEqualTo(allowed);
      String header = "| Strategy | Load | " + figure.name + ": node | what-if | ratio |";
      assertThat(page).contains(header);
      String below = page.substring(page.indexOf(header));
      assertThat(below.lines().takeWhile(line -> line.startsWith("|")))
          .as("table of the page")
          .contains(figure.row(name));
    }
  }

  /** The limit of a recording decides: without it, the forecast takes more transient space. */
  @ParameterizedTest
  @ValueSource(strings = {"leveled-limited-uniform", "leveled-limited-zipf"})
  void theLimitOfARecordingDecides(String name) throws IOException {
    Recording node = Recording.of(name);
    String policy = node.values.get("policy");
    PolicySpec spec = WhatIfTrial.parse(policy, MergeRule.FREE);
    long limit = spec.transientBytes(0);
    WhatIfReport unlimited =
        node.with(policy.replaceAll(",max_transient_space=[^,]*", "")).forecast();
    assertThat(unlimited.transientBytes()).isGreaterThan(limit);
    assertThat(node.forecast().transientBytes()).isLessThanOrEqualTo(limit);
    assertThat(node.number("transient")).isLessThanOrEqualTo(limit);
  }

  private static double mb(long bytes) {
    return bytes / 1e6;
  }
}
