// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.bench.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.coppice.bench.suite.WrongAnswerException;
import io.coppice.workload.Values;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Every real store passes every workload; one that answers wrongly does not. */
class CellTest {

  /** What syncs or commits each write gets fewer of them. */
  private static final Map<StoreSpec.Kind, Integer> ENTRIES =
      Map.of(StoreSpec.Kind.MVSTORE, 100, StoreSpec.Kind.MAPDB, 20, StoreSpec.Kind.XODUS, 1_000);

  @TempDir private Path directory;

  private BenchOptions options = options(20_000, "coppice");
  private final Values values = new Values(options.valueBytes(), options.seed());
  private Expected expected = new Expected(options.entries());

  private static BenchOptions options(int entries, String store) {
    return BenchOptions.parse(
        Map.of(
            "num", Integer.toString(entries),
            "memtable_size", "1MiB",
            "policy", "leveled",
            "duration", "0.02",
            "threads", "2",
            "later_policy", "tiered",
            "benchmark_write_rate_limit", "100000000",
            "stores", store),
        List.of());
  }

  private CellResult run(TestedStore store, Benchmark benchmark, int writesBefore) {
    return new Cell(
            store,
            directory,
            options,
            values,
            expected,
            writesBefore,
            (done, total) -> {},
            second -> {})
        .run(benchmark);
  }

  @ParameterizedTest
  @EnumSource(StoreSpec.Kind.class)
  void everyStoreAnswersEveryWorkloadRightly(StoreSpec.Kind kind) throws Exception {
    options = options(ENTRIES.getOrDefault(kind, 3_000), kind.label());
    StoreSpec spec = options.stores().get(0);
    List<Benchmark> onto =
        Arrays.stream(Benchmark.values()).filter(each -> !each.fills() && spec.has(each)).toList();
    try (TestedStore store = open(spec)) {
      expected = new Expected(options.entries());
      int writes = (int) run(store, Benchmark.FILLRANDOM, 0).of(Measure.WRITES);
      for (Benchmark benchmark : onto) {
        CellResult result = run(store, benchmark, writes);
        assertThat(result.of(Measure.OPERATIONS)).as("%s", benchmark).isPositive();
        assertThat(CellResult.parse(result.text())).isEqualTo(result);
        writes += (int) result.of(Measure.WRITES);
        if (benchmark == Benchmark.OVERWRITE && result.has(Measure.FLUSHED_BYTES)) {
          assertThat(result.writeAmplification()).isBetween(0.5, 20.0);
        }
      }
    }
  }

  @ParameterizedTest
  @EnumSource(
      value = Benchmark.class,
      names = {"FILLSEQ", "FILLUNIQUERANDOM", "FILLBATCH", "FILLSYNC", "WRITEOPENLOOP"})
  void everyFillLeavesWhatItWrote(Benchmark fill) throws Exception {
    try (TestedStore store = open(options.stores().get(0))) {
      CellResult result = run(store, fill, 0);
      assertThat(run(store, Benchmark.READSEQ, 0).of(Measure.OPERATIONS))
          .isEqualTo(expected.count());
      assertThat(result.of(Measure.LIVE_BYTES)).isEqualTo(116.0 * expected.count());
      assertThat(result.of(Measure.PEAK_DISK_BYTES)).isPositive();
    }
  }

  private TestedStore open(StoreSpec spec) throws Exception {
    return StoreProcess.open(spec, Files.createDirectory(directory.resolve("store")), options);
  }

  @Test
  void anOldValueAndALostKeyVoidTheRun() throws Exception {
    options = BenchOptions.parse(Map.of("num", "20000", "memtable_size", "1MiB"), List.of());
    try (TestedStore store = open(options.stores().get(0))) {
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
