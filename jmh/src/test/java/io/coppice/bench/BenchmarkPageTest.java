// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.bench;

import static io.coppice.bench.report.Fixtures.MACHINE;
import static org.assertj.core.api.Assertions.assertThat;

import io.coppice.bench.report.SuiteReport;
import io.coppice.bench.report.SuiteRow;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class BenchmarkPageTest {

  private static final Path PAGE = Path.of("..", "docs", "benchmarks", "README.md");

  @TempDir private Path directory;

  @Test
  void theCommittedPageIsWhatTheFilesBesideItSay() throws Exception {
    assertThat(BenchmarkPage.filled(PAGE))
        .as("make it anew: java -jar jmh/target/coppice-bench.jar page --write %s", PAGE)
        .isEqualTo(Files.readString(PAGE));
  }

  @Test
  void whatStandsBetweenTheMarkersIsMadeAnewAndTheRestStays() throws Exception {
    double[] ours = {20, 21, 22};
    double[] peer = {10, 10, 10};
    SuiteRow row = SuiteRow.moreIsBetter("fast", "op/s", ours, peer, 2, "a note").steady();
    double[] differing = {20, 30, 40};
    SuiteRow other = SuiteRow.moreIsBetter("other", "op/s", differing, peer, 2, "").steady();
    new SuiteReport(
            "some", "bench --suite=some", MACHINE, List.of("a fact"), 3, List.of(row, other))
        .write(directory);
    Path page =
        Files.writeString(
            directory.resolve("page.md"),
            "before\n<!-- rows: some -->\nold\n<!-- end -->\nafter\n"
                + "<!-- rows: none -->\n<!-- end -->\n");
    assertThat(BenchmarkPage.filled(page))
        .startsWith("before\n<!-- rows: some -->\n")
        .contains("bench --suite=some", "- a fact", "commit abc1234")
        .contains(
            "| `fast` | 21.000 | 10.000 | op/s | 2.10 | 2.00...2.20 | 10 % | 2.00 | met | a note |")
        .contains("| 3.00 | 2.00...4.00 | 67 % | 2.00 | **unstable by 67%** |  |")
        .contains("<!-- end -->\nafter\n")
        .contains("No run of it is committed yet.")
        .doesNotContain("old");
  }

  @Test
  void twoRunsStandBesideOneAnother() throws Exception {
    double[] ten = {10};
    SuiteRow slow = SuiteRow.moreIsBetter("rate", "op/s", new double[] {19}, ten, 2, "");
    SuiteRow quick = SuiteRow.moreIsBetter("rate", "op/s", new double[] {20}, ten, 2, "");
    SuiteRow alone = SuiteRow.moreIsBetter("other", "op/s", ten, ten, 1, "");
    new SuiteReport("first", "bench", MACHINE, List.of(), 1, List.of(slow, alone)).write(directory);
    new SuiteReport("second", "bench", MACHINE, List.of(), 1, List.of(quick)).write(directory);
    Path page =
        Files.writeString(
            directory.resolve("page.md"),
            "<!-- beside: first second -->\n<!-- end -->\n"
                + "<!-- beside: second none -->\n<!-- end -->\n");
    assertThat(BenchmarkPage.filled(page))
        .contains("| `rate` | 1.90 | 2.00 | +5 % | yes | 2.00 | **the second alone** |")
        .contains("within a tenth of the first's: 1 of 1")
        .contains("No run of it is committed yet.")
        .doesNotContain("other");
  }
}
