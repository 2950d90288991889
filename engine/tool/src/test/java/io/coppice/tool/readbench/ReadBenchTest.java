// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.tool.readbench;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.coppice.tool.ToolRun;
import io.coppice.tool.cli.ExitCode;
import io.coppice.tool.console.JsonLaw;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ReadBenchTest {

  private static final ObjectMapper JSON = new ObjectMapper();

  @TempDir Path directory;

  private void files() throws IOException {
    byte[] bytes = new byte[3 << 20];
    new Random(1).nextBytes(bytes);
    for (int i = 0; i < 3; i++) {
      Files.write(directory.resolve("f" + i), bytes);
    }
    Files.writeString(directory.resolve("small"), "not a block");
  }

  private ToolRun bench(String... more) {
    List<String> args = new ArrayList<>(List.of("read-bench", directory.toString()));
    args.addAll(List.of(more));
    return ToolRun.of(args.toArray(String[]::new));
  }

  @Test
  void everyWayThatWorksHereHasARowForEachNumberOfClientsAndBlocks() throws Exception {
    files();
    ToolRun run = bench("--seconds=0.02", "--clients=1,3", "--blocks=1,17", "--json");
    assertThat(run.code()).as(run.err()).isEqualTo(ExitCode.DONE);
    Map<String, Integer> rows = new HashMap<>();
    for (JsonNode row : JSON.readTree(run.out()).get("rows")) {
      rows.merge(row.get("reader").asText(), 1, Integer::sum);
      assertThat(row.get("queries").asLong()).isPositive();
      assertThat(row.get("clients").asInt()).isIn(1, 3);
      assertThat(row.get("blocks").asInt()).isIn(1, 17);
      assertThat(row.get("p50_micros").asDouble()).isBetween(0.0, row.get("p99_micros").asDouble());
      assertThat(row.get("times_faster_serial").asDouble()).isPositive();
    }
    assertThat(rows).containsEntry("mapping", 4).containsEntry("pool", 4);
    assertThat(rows.values()).containsOnly(4);
  }

  @Test
  void everySchemeHasARowForEachReaderAndAsksForNoMoreThanItSays() throws Exception {
    files();
    ToolRun run = bench("--schemes", "--seconds=0.02", "--clients=1,2", "--json");
    assertThat(run.code()).as(run.err()).isEqualTo(ExitCode.DONE);
    Map<String, Integer> rows = new HashMap<>();
    for (JsonNode row : JSON.readTree(run.out()).get("rows")) {
      String scheme = row.get("scheme").asText();
      rows.merge(scheme + " " + row.get("reader").asText(), 1, Integer::sum);
      long queries = row.get("queries").asLong();
      assertThat(row.get("blocks").asInt()).isEqualTo(17);
      boolean hit = row.get("key").asText().equals("hit");
      double asked = (double) row.get("blocks_asked").asLong() / queries;
      if (!hit || scheme.equals("fixed-count")) {
        // With sixteen in flight the seventeenth goes with them.
        assertThat(asked).as(row.toString()).isEqualTo(17);
      } else {
        assertThat(asked).as(row.toString()).isBetween(1.0, 17.0);
      }
    }
    assertThat(rows)
        .containsEntry("serial mapping", 4)
        .containsEntry("fixed-count pool", 4)
        .containsEntry("priority-aware pool", 4)
        .containsEntry("adaptive pool", 4);
    assertThat(rows.values()).containsOnly(4);

    ToolRun table = bench("--schemes", "--seconds=0.01", "--clients=1", "--blocks=3");
    assertThat(table.out()).contains("key", "scheme", "blocks/query", "miss", "adaptive");
  }

  @Test
  void theTableSaysWhatItIsOfAndNothingIsWritten() throws Exception {
    files();
    List<Path> before = list();
    FileTime changed = Files.getLastModifiedTime(directory);
    ToolRun run = bench("--seconds=0.01", "--clients=2", "--blocks=4");
    assertThat(run.code()).as(run.err()).isEqualTo(ExitCode.DONE);
    assertThat(run.out())
        .contains("3 files, 9.44 MB", "reader", "p50 us", "queries/s", "mapping", "pool");
    assertThat(list()).isEqualTo(before);
    assertThat(Files.getLastModifiedTime(directory)).isEqualTo(changed);
  }

  private List<Path> list() throws IOException {
    try (var entries = Files.list(directory)) {
      return entries.sorted().toList();
    }
  }

  @Test
  void allThatIsWrongIsNamed() {
    ToolRun run = bench("--seconds=0", "--clients=0,x", "--blocks=65");
    assertThat(run.code()).isEqualTo(ExitCode.USAGE);
    assertThat(run.out()).isEmpty();
    assertThat(run.err())
        .contains("--seconds (0)", "--clients (0)", "--clients (x)", "--blocks (65)", "1 MiB");
    assertThat(ToolRun.of("read-bench", directory.resolve("none").toString()).err())
        .contains("must be a directory");
  }

  @Test
  void aWayWithoutQueriesHasNoLatencyAndNoRatio() throws IOException {
    files();
    ReadBenchCell cell = new ReadBenchCell(1, 4, false);
    try (BlockSource source = new BlockSource.Mappings(BlockFiles.in(directory))) {
      ReadBenchTally some = new ReadBenchTally();
      some.latencies.record(1_000);
      some.nanos = 1_000_000;
      for (boolean schemes : new boolean[] {false, true}) {
        ReadBenchResult none = new ReadBenchResult(cell, source, new ReadBenchTally());
        ReadBenchResult full = new ReadBenchResult(cell, source, some);
        for (ReadBenchResult serial : List.of(none, full)) {
          assertThat(String.join(" ", none.row(serial, schemes)))
              .doesNotContain("NaN", "Infinity")
              .endsWith(" -");
          JsonNode json = none.json(serial, schemes);
          JsonLaw.check("read-bench", json);
          assertThat(json.get("p50_micros").isNull()).isTrue();
          assertThat(json.get("times_faster_serial").isNull()).isTrue();
          JsonLaw.check("read-bench", full.json(serial, schemes));
          assertThat(String.join(" ", full.row(serial, schemes))).doesNotContain("NaN", "Infinity");
        }
      }
    }
  }

  @Test
  void blocksAreDrawnFromAllFilesAlike() throws IOException {
    files();
    BlockFiles files = BlockFiles.in(directory);
    assertThat(files.blocks()).isEqualTo(3 * 768);
    int[] file = new int[3_000];
    long[] offset = new long[3_000];
    files.draw(new Random(3), 3_000, file, offset);
    Integer[] drawn = {0, 0, 0};
    for (int i = 0; i < file.length; i++) {
      drawn[file[i]]++;
      assertThat(offset[i]).isBetween(0L, (3L << 20) - BlockFiles.BLOCK_BYTES);
      assertThat(offset[i] % BlockFiles.BLOCK_BYTES).isZero();
    }
    assertThat(drawn).allSatisfy(count -> assertThat(count).isBetween(900, 1_100));
  }
}
