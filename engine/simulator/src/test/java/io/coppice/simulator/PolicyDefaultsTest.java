// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.simulator;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.coppice.policy.MergeRule;
import io.coppice.policy.spec.PolicySpec;
import io.coppice.simulator.keys.WriteWorkload;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Simulates every policy with its default options at 1,000 flushes. No default may write more than
 * 1.1 times the bytes that the default of leveled writes. Runs, space and bytes are those of {@code
 * docs/policies/choose.md}, and runs and space keep to the limits that the page states.
 */
class PolicyDefaultsTest {

  private static final List<String> LOADS =
      List.of("insert", "uniform-update", "zipf:0.99", "uniform-update,deletes:0.1");
  private static final int FLUSHES = 1_000;
  private static final long MEMTABLE_BYTES = 1_600_000;
  private static final int ENTRY_BYTES = 128;

  /** The share of leveled's bytes that a default may write. */
  private static final double MAX_WRITTEN = 1.1;

  private static final Path PAGE = Path.of("..", "..", "docs", "policies", "choose.md");

  /** A row of the page: four loads, mean runs and space, and the limits of these two. */
  private static final Pattern ROW =
      Pattern.compile(
          "(?m)^\\| `([a-z-]+)` \\| ([0-9.]+) \\| ([0-9.]+) \\| ([0-9.]+) \\| ([0-9.]+)"
              + " \\| ([0-9.]+) \\| ([0-9.]+) \\| ([0-9.]+) \\| ([0-9.]+) \\|$");

  private static Map<String, Row> rows;

  /**
   * The figures and limits that the page states for a policy.
   *
   * @param written bytes written per byte, by load
   * @param runs mean runs over a key in the second half of the load, the highest of the loads
   * @param space bytes on disk over live bytes at rest in the second half, the highest of the loads
   */
  private record Row(
      Map<String, Double> written, double runs, double space, double maxRuns, double maxSpace) {}

  @BeforeAll
  static void readPage() throws IOException {
    rows = new HashMap<>();
    Matcher row = ROW.matcher(Files.readString(PAGE));
    while (row.find()) {
      Map<String, Double> written = new HashMap<>();
      for (int i = 0; i < LOADS.size(); i++) {
        written.put(LOADS.get(i), Double.valueOf(row.group(2 + i)));
      }
      rows.put(
          row.group(1),
          new Row(
              written,
              Double.parseDouble(row.group(2 + LOADS.size())),
              Double.parseDouble(row.group(3 + LOADS.size())),
              Double.parseDouble(row.group(4 + LOADS.size())),
              Double.parseDouble(row.group(5 + LOADS.size()))));
    }
  }

  @ParameterizedTest
  @MethodSource("policies")
  void noDefaultWritesMuchMoreThanLeveled(String policy) {
    Row row = rows.get(policy);
    assertThat(row).as("row of %s in %s", policy, PAGE).isNotNull();
    double runs = 0;
    double space = 0;
    for (String load : LOADS) {
      SimulationReport report = simulated(policy, load);
      assertThat(report.wa())
          .as("bytes written per byte, %s", load)
          .isLessThanOrEqualTo(MAX_WRITTEN * rows.get("leveled").written().get(load))
          .isCloseTo(row.written().get(load), within(0.06));
      runs = Math.max(runs, report.raMean());
      space = Math.max(space, report.saSteady());
    }
    assertThat(runs)
        .as("mean runs")
        .isLessThanOrEqualTo(row.maxRuns())
        .isCloseTo(row.runs(), within(0.06));
    assertThat(space)
        .as("space")
        .isLessThanOrEqualTo(row.maxSpace())
        .isCloseTo(row.space(), within(0.006));
  }

  /**
   * The space after deletions that the page on all policies states. Half of the operations delete
   * their key, so a policy without regard for deletions keeps several times the live data.
   */
  @ParameterizedTest
  @CsvSource({"leveled, 1.3", "delayed, 1.3", "lazy-binomial, 1.6", "split-forest, 2", "tiered, 2"})
  void deletionsKeepTheSpaceThatIsStated(String policy, double space) {
    assertThat(simulated(policy, "uniform-update,deletes:0.5").saSteady())
        .isLessThanOrEqualTo(space);
  }

  static Stream<String> policies() {
    return PolicySpec.policyNames().stream();
  }

  private static SimulationReport simulated(String policy, String load) {
    WriteWorkload workload = WriteWorkload.parse(load);
    boolean once = workload.kind() == WriteWorkload.Kind.INSERT;
    long written = FLUSHES * MEMTABLE_BYTES;
    Scenario scenario =
        new Scenario(
            PolicySpec.parse(policy),
            MergeRule.ADJACENT,
            workload,
            once ? written : written / 4,
            written,
            MEMTABLE_BYTES,
            ENTRY_BYTES,
            10,
            0,
            Long.MAX_VALUE,
            42,
            Fidelity.CLASSES);
    return Simulator.run(scenario, progress -> {});
  }
}
