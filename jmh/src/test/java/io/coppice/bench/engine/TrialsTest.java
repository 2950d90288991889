// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.bench.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.coppice.bench.report.Fixtures;
import io.coppice.bench.store.BenchOptions;
import io.coppice.bench.store.Benchmark;
import io.coppice.bench.store.Measure;
import io.coppice.bench.store.StoreSpec;
import io.coppice.bench.suite.BenchExitCode;
import io.coppice.bench.suite.RunFailedException;
import io.coppice.bench.suite.SavedResults;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class TrialsTest {

  @TempDir private Path directory;

  private TrialResults run(boolean resume, String mark) throws Exception {
    BenchOptions options =
        BenchOptions.parse(
            Map.of(
                "num", "500",
                "benchmarks", "fillrandom,readrandomwriterandom",
                "memtable-size", "64KiB",
                "timeline", "1"));
    Trial trial = Trial.of("some", List.of(StoreSpec.ours("leveled,fanout=4")), 1, options, 1);
    SavedResults kept =
        new SavedResults(directory.resolve("kept"), resume, mark, Fixtures.progress());
    return new Trials(List.of(trial), directory.resolve("data"), kept).run();
  }

  @Test
  void aRunThatWasBrokenOffIsTakenUpWhereItEnded() throws Exception {
    StoreSpec store = StoreSpec.ours("leveled,fanout=4");
    TrialResults first = run(true, "commit");
    CellResult filled = first.cells("some", store, Benchmark.FILLRANDOM).get(0);
    assertThat(filled.of(Measure.OPERATIONS)).isEqualTo(500);
    assertThat(directory.resolve("data")).doesNotExist();
    // Another figure in the file, as only its reader would have it.
    Path kept = directory.resolve("kept/some-leveled_fanout=4-1.txt");
    Files.writeString(
        kept, Files.readString(kept).replace("\"OPERATIONS\":500,", "\"OPERATIONS\":501,"));
    CellResult read = run(true, "commit").cells("some", store, Benchmark.FILLRANDOM).get(0);
    assertThat(read.of(Measure.OPERATIONS)).isEqualTo(501);
    CellResult anew = run(true, "other").cells("some", store, Benchmark.FILLRANDOM).get(0);
    assertThat(anew.of(Measure.OPERATIONS)).isEqualTo(500);
  }

  @Test
  void whatAnyTrialLacksIsSaidBeforeTheFirst() {
    BenchOptions few = BenchOptions.parse(Map.of("num", "500"));
    BenchOptions many = BenchOptions.parse(Map.of("num", "100000000", "value-size", "1000"));
    List<StoreSpec> stores = List.of(StoreSpec.ours("leveled"));
    List<Trial> trials =
        List.of(Trial.of("few", stores, 1, few, 1), Trial.of("many", stores, 1, many, 1));
    assertThatThrownBy(() -> Trials.requireRoom(trials, directory))
        .isInstanceOfSatisfying(
            RunFailedException.class,
            ended -> assertThat(ended.code()).isEqualTo(BenchExitCode.ENVIRONMENT))
        .hasMessageContaining("many leveled: A store of this size may take ");
  }
}
