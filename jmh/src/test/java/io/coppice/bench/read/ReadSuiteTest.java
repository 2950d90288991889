// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.bench.read;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.coppice.bench.report.RecordJson;
import io.coppice.bench.suite.BenchExitCode;
import io.coppice.bench.suite.Suite;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The suite runs from loading to its file; what it measures so quickly means nothing. */
class ReadSuiteTest {

  @TempDir private Path directory;

  private final StringWriter out = new StringWriter();
  private final StringWriter err = new StringWriter();

  private int run(String rows) throws Exception {
    return run("tiny", rows);
  }

  /** Runs without any memory group where there is to be none. */
  private int run(String scale, String rows) throws Exception {
    Map<String, String> given =
        Map.of("scale", scale, "seconds", "0.02", "rounds", "1", "rows", rows);
    return new ReadSuite(
            ReadOptions.parse(given, List.of()),
            new Suite.Console(
                directory, new PrintWriter(out, true), new PrintWriter(err, true), false),
            limit -> {
              throw new IOException("no directory of groups");
            })
        .run("the command");
  }

  @ParameterizedTest
  @ValueSource(strings = {"hot_seek50_leveled_over_rocksdb", "hot_prev50_leveled_over_rocksdb"})
  void aRowBesideRocksDbComesFromProcessesThatAnswerRightly(String row) throws Exception {
    assertThat(run(row)).as(err.toString()).isEqualTo(BenchExitCode.DONE);
    JsonNode root = RecordJson.read(directory.resolve("read.json"));
    assertThat(root.get("rows")).hasSize(1);
    assertThat(root.get("rows").get(0).get("ours").asDouble()).isPositive();
    assertThat(root.get("rows").get(0).get("peer").asDouble()).isPositive();
    assertThat(out.toString()).contains(row, "the command");
    assertThat(directory.resolve("read-data")).doesNotExist();
  }

  @Test
  void aRowInAMemoryGroupComesFromProcessesThatAnswerRightly() throws Exception {
    assertThat(run("memory_4x_hit_default_over_read_8"))
        .as(err.toString())
        .isEqualTo(BenchExitCode.DONE);
    JsonNode row = rows().get(0);
    assertThat(row.get("ours").asDouble()).isPositive();
    assertThat(row.get("note").asText()).contains("not judged", "device");
  }

  @Test
  void aRowWithoutAGroupIsNamedAsSkipped() throws Exception {
    assertThat(run("small", "memory_fits_miss_*_1")).as(err.toString()).isZero();
    assertThat(rows()).hasSize(2);
    for (JsonNode row : rows()) {
      assertThat(row.get("note").asText())
          .isEqualTo("not measured: skipped: no memory group: no directory of groups");
    }
  }

  private JsonNode rows() throws IOException {
    return RecordJson.read(directory.resolve("read.json")).get("rows");
  }
}
