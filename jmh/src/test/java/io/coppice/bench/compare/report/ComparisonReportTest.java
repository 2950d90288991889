// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.bench.compare.report;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.coppice.bench.report.Machine;
import io.coppice.bench.report.RecordJson;
import io.coppice.bench.suite.BenchExitCode;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ComparisonReportTest {

  private static final Environment ENVIRONMENT =
      new Environment(
          "5.0.9", "17.0.15", 2, new Machine("cpu", 2, 1L << 34, "Linux", 0.5, "a JVM", "abc"));

  @TempDir Path directory;
  private final StringWriter out = new StringWriter();

  private int write(RunResult... results) throws IOException {
    CompareOptions options = Results.options("scale", "tiny", "strategies", "stcs,split-forest");
    PrintWriter printer = new PrintWriter(out, true);
    Path claims = directory.resolve("bench");
    return new ComparisonReport(
            options, ENVIRONMENT, List.of(results), directory, claims, printer, printer)
        .write();
  }

  private JsonNode json() throws IOException {
    return RecordJson.read(directory.resolve("compare.json"));
  }

  @Test
  void theJsonHasThePublishedForm() throws IOException {
    assertThat(write(Results.sound(Results.STCS), Results.sound(Results.FOREST)))
        .isEqualTo(BenchExitCode.DONE);
    JsonNode json = json();
    assertThat(json.get("cassandra").asText()).isEqualTo("5.0.9");
    assertThat(json.get("scale").asText()).isEqualTo("tiny");
    assertThat(json.get("runs")).hasSize(2);
    JsonNode run = json.get("runs").get(1);
    assertThat(run.get("strategy").asText()).isEqualTo("split-forest");
    assertThat(run.get("class").asText())
        .isEqualTo("io.coppice.cassandra.SplitForestCompactionStrategy");
    assertThat(run.get("write_amplification").asDouble()).isEqualTo(2.5);
    assertThat(run.get("sstables_per_read").toString())
        .isEqualTo("{\"hit\":1.25,\"miss\":0.01,\"scan10\":4.0,\"hit_at_end\":1.5}");
    assertThat(run.get("space").toString()).isEqualTo("{\"mean\":1.5,\"peak\":2.25}");
    assertThat(run.get("major").get("extra_mb").asDouble()).isEqualTo(8);
    assertThat(run.get("major").get("extra_percent").asDouble()).isEqualTo(40);
    assertThat(run.get("major").get("extra_percent_of_live").asDouble()).isEqualTo(80);
    assertThat(run.get("major").get("reads").asInt()).isEqualTo(60);
    assertThat(run.get("major").get("read_p99_us").asInt()).isEqualTo(4568);
    assertThat(json.get("majors_only").asBoolean()).isFalse();
    assertThat(run.get("window").get("flushes").asInt()).isEqualTo(66);
    assertThat(run.get("window").get("candidates_p99").asInt()).isEqualTo(6);
    assertThat(run.get("read_us").toString()).isEqualTo("{\"p50\":812,\"p99\":3457}");
    assertThat(run.get("stalls").toString()).isEqualTo("{\"count\":2,\"ms\":345}");
    assertThat(run.get("rows_written").asLong()).isEqualTo(66_000);
    assertThat(run.get("rows_verified").asLong()).isEqualTo(20_000);
    assertThat(run.get("rows_wrong").asLong()).isZero();
    assertThat(run.get("work").get("moves").asInt()).isEqualTo(4);
    assertThat(run.get("phases").toString())
        .isEqualTo("{\"load\":{\"seconds\":20.0,\"processor_seconds\":30.5}}");
  }

  @Test
  void aRunThatDiedIsInTheJsonWithoutFigures() throws IOException {
    assertThat(write(Results.sound(Results.STCS), Results.failed(Results.FOREST, "it died")))
        .isEqualTo(BenchExitCode.INCOMPLETE);
    JsonNode run = json().get("runs").get(1);
    assertThat(run.get("write_amplification").isNull()).isTrue();
    assertThat(run.get("rows_verified").asLong()).isZero();
    assertThat(run.get("problems").get(0).asText()).isEqualTo("it died");
    assertThat(json().get("valid").asBoolean()).isFalse();
    assertThat(out.toString()).contains("split forest (!)").contains("compare: INCOMPLETE");
  }

  @Test
  void aWrongRowDecidesTheExitCode() throws IOException {
    RunResult wrong =
        Results.run(
            Results.STCS,
            Results.load(44, 1_500_000, 1_500_000, 9, 0),
            List.of(Results.check("after the load", 2), Results.CHECKS.get(1)));
    assertThat(write(Results.failed(Results.FOREST, "it died"), wrong))
        .isEqualTo(BenchExitCode.WRONG_ANSWERS);
    assertThat(out.toString()).contains("compare: FAILED").contains("2 of 20000 rows are wrong");
    assertThat(json().get("runs").get(1).get("rows_wrong").asLong()).isEqualTo(2);
  }

  @Test
  void theTableShowsMedianAndRangeOfRepeats() {
    RunResult other =
        Results.run(Results.STCS, Results.load(44, 2_500_000, 2_500_000, 20, 0), Results.CHECKS);
    List<String> lines =
        ComparisonText.lines(Map.of(Results.STCS, List.of(Results.sound(Results.STCS), other)));
    assertThat(lines.get(0)).contains("WA").contains("SA peak").contains("% live");
    assertThat(lines.get(1)).startsWith(" STCS ").contains("3.00 ±1.00");
  }

  @Test
  void rowsStandInTheOrderAskedFor() throws IOException {
    write(Results.sound(Results.FOREST), Results.sound(Results.STCS));
    String text = out.toString();
    assertThat(text.indexOf("STCS")).isLessThan(text.indexOf("split forest"));
    assertThat(text).contains("compare: done; all 2 runs are valid, every answer is right");
  }

  @Test
  void theChartIsTextAndTheSameTwice() throws IOException {
    write(Results.sound(Results.STCS), Results.sound(Results.FOREST));
    String first = Files.readString(directory.resolve("compare.svg"));
    write(Results.sound(Results.STCS), Results.sound(Results.FOREST));
    assertThat(Files.readString(directory.resolve("compare.svg"))).isEqualTo(first);
    assertThat(first)
        .contains("<title", "<desc", ">Write amplification<", ">split forest<", ">2.50<");
  }

  @Test
  void theClaimsAreWrittenInTheFormOfASuite() throws IOException {
    write(Results.sound(Results.STCS), Results.sound(Results.FOREST));
    JsonNode json = RecordJson.read(directory.resolve("bench").resolve("compare.json"));
    assertThat(json.get("suite").asText()).isEqualTo("compare");
    assertThat(json.get("command").asText())
        .isEqualTo(
            "mvn -q -Pcompare -Dscale=tiny -Dstrategies=stcs,split-forest -Drepeats=1 -Dseed=42");
    assertThat(json.get("facts").get(1).asText())
        .isEqualTo("means over the last 66 of 70 flushes, in which the live data grows 8.5 times");
    assertThat(json.get("rows")).extracting(row -> row.get("id").asText()).doesNotHaveDuplicates();
    assertThat(out.toString())
        .contains("major_speed_forest4_over_stcs", "0 of 0 goals met", "30 more rows are about")
        .doesNotContain("did not run\n");
  }
}
