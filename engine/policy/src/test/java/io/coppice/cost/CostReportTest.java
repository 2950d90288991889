// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.cost;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class CostReportTest {

  private static final Path BUDGET = Path.of("..", "..", ".ci", "test-budget.txt");

  @TempDir Path root;

  @Test
  void theReportAddsUpForksAndRunsAndLeavesOtherBuildsOut() throws IOException {
    record("engine", "now", 30_000, "a.A");
    record("engine", "before", 900_000, "a.A");
    record("engine", "now", 6_000, "a.A");
    record("engine", "now", 24_000, "b.B");
    record("jmh", "now", 60_000, "c.C");
    CostReport report = new CostReport(root, "now", Map.of("engine", 1.0, "jmh", 2.0, "x", 3.0));
    assertThat(report.text().lines().skip(1))
        .startsWith("    60.0  jmh c.C", "    36.0  engine a.A", "    24.0  engine b.B")
        .contains(
            "     1.0  of 1.0 processor minutes: engine",
            "     1.0  of 2.0 processor minutes: jmh",
            "     2.0  of 3.0 processor minutes: all of 3 classes")
        .hasSize(6);
    assertThat(report.excess("engine")).isEmpty();
    assertThat(report.excess("x")).isEmpty();
  }

  @Test
  void aModuleOverItsBudgetFails() throws IOException {
    record("engine", "now", 60_001, "a.A");
    CostReport report = new CostReport(root, "now", Map.of("engine", 1.0));
    assertThat(report.excess("engine"))
        .contains("tests of engine took 1.0 processor minutes")
        .contains("allows 1.0")
        .contains("-Dtest.budget=off");
    assertThat(report.excess("other")).contains("add a line to .ci/test-budget.txt");
  }

  @Test
  void aBuildWithoutTestsPrintsNothing() throws IOException {
    CostReport report = new CostReport(root, "now", Map.of("engine", 1.0));
    assertThat(report.text()).isEmpty();
    assertThat(report.excess("engine")).isEmpty();
  }

  @Test
  void everyModuleHasABudget() throws IOException {
    assertThat(CostReport.budget(BUDGET))
        .containsOnlyKeys(
            "engine/policy",
            "engine/store",
            "engine/simulator",
            "engine/tool",
            "cassandra-plugin",
            "jmh");
  }

  @Test
  void theTimeOfChildProcessesCounts() throws Exception {
    Path stat = Path.of("/proc/self/stat");
    assumeTrue(Files.exists(stat), "no /proc");
    long before = ProcessorTime.millis();
    Process child = new ProcessBuilder("sh", "-c", "while :; do :; done").start();
    try {
      long burnt = 0;
      while (burnt < 300) {
        TimeUnit.MILLISECONDS.sleep(10);
        burnt = child.info().totalCpuDuration().orElseThrow().toMillis();
      }
      assertThat(ProcessorTime.millis() - before).isGreaterThanOrEqualTo(300);
    } finally {
      child.destroyForcibly().waitFor();
    }
    assertThat(ProcessorTime.millis() - before).as("when it has ended").isGreaterThanOrEqualTo(300);
  }

  private void record(String module, String build, long millis, String name) throws IOException {
    new CostFile(root.resolve(module).resolve(CostReport.RECORDS))
        .add(new Cost(build, millis, name));
  }
}
