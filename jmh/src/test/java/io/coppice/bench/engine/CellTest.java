// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.bench.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.coppice.bench.suite.WrongAnswerException;
import io.coppice.workload.Values;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Both real stores pass every workload; a store that answers wrongly does not. */
class CellTest {

  @TempDir private Path directory;

  private final BenchOptions options =
      BenchOptions.parse(
          Map.of("num", "20000", "memtable_size", "1MiB", "policy", "leveled"), List.of());
  private final Values values = new Values(options.valueBytes(), options.seed());
  private final Expected expected = new Expected(options.entries());

  private CellResult run(TestedStore store, Benchmark benchmark, int writesBefore) {
    return new Cell(store, options, values, expected, writesBefore, (done, total) -> {})
        .run(benchmark);
  }

  private TestedStore open(String kind) throws Exception {
    Path path = Files.createDirectory(directory.resolve(kind));
    return kind.equals("ours") ? new CoppiceStore(path, options) : new RocksStore(path, options);
  }

  @Test
  void bothStoresAnswerEveryWorkloadRightly() throws Exception {
    for (String kind : List.of("ours", "peer")) {
      try (TestedStore store = open(kind)) {
        int writes = 0;
        for (Benchmark benchmark : Benchmark.values()) {
          if (benchmark == Benchmark.FILLSEQ) {
            continue;
          }
          CellResult result = run(store, benchmark, writes);
          assertThat(result.of(Measure.OPERATIONS)).as(kind + benchmark).isPositive();
          assertThat(CellResult.parse(result.text())).isEqualTo(result);
          if (benchmark.writes()) {
            writes += options.entries();
            assertThat(result.writeAmplification()).as(kind + benchmark).isBetween(0.5, 20.0);
          }
        }
      }
    }
  }

  @Test
  void anOldValueAndALostKeyVoidTheRun() throws Exception {
    try (TestedStore store = open("ours")) {
      run(store, Benchmark.FILLRANDOM, 0);
      // One value in sixteen is compared.
      for (int key = 17_000, wrong = 0; wrong < 16; key = expected.nextPresent(key + 1), wrong++) {
        expected.written(expected.nextPresent(key), 77);
      }
      assertThatThrownBy(() -> run(store, Benchmark.READSEQ, options.entries()))
          .isInstanceOf(WrongAnswerException.class)
          .hasMessageContaining("another value");
      int absent = 0;
      while (expected.isPresent(absent)) {
        absent++;
      }
      expected.written(absent, 0);
      assertThatThrownBy(() -> run(store, Benchmark.READRANDOM, options.entries()))
          .isInstanceOf(WrongAnswerException.class)
          .hasMessageContaining("key ");
    }
  }
}
