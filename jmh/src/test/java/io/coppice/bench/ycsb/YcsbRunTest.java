// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.bench.ycsb;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.coppice.bench.report.Fixtures;
import io.coppice.bench.store.StoreSpec;
import io.coppice.bench.suite.RunFailedException;
import io.coppice.bench.suite.SavedResults;
import io.coppice.bench.suite.WrongAnswerException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.Set;
import java.util.Vector;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import site.ycsb.ByteArrayByteIterator;
import site.ycsb.ByteIterator;
import site.ycsb.Status;

class YcsbRunTest {

  @TempDir private Path directory;

  private static ByteIterator value(String text) {
    return new ByteArrayByteIterator(text.getBytes(StandardCharsets.US_ASCII));
  }

  @ParameterizedTest
  @ValueSource(classes = {CoppiceBinding.class, RocksBinding.class, MvStoreBinding.class})
  void everyBindingReadsChangesAndScansRecords(Class<? extends RecordBinding> type)
      throws Exception {
    RecordBinding binding = type.getDeclaredConstructor().newInstance();
    Properties properties = new Properties();
    properties.setProperty(RecordBinding.DIRECTORY, directory.resolve("store").toString());
    properties.setProperty(RecordBinding.POLICY, "leveled");
    properties.setProperty(RecordBinding.MEMTABLE, Long.toString(1 << 20));
    properties.setProperty(RecordBinding.MEMORY, Long.toString(80 << 20));
    binding.setProperties(properties);
    binding.init();
    try {
      for (int i = 0; i < 20; i++) {
        Map<String, ByteIterator> fields = new LinkedHashMap<>();
        fields.put("field0", value("a" + i));
        fields.put("field1", value("b" + i));
        assertThat(binding.insert("t", "user" + (10 + i), fields)).isEqualTo(Status.OK);
      }
      assertThat(binding.update("t", "user12", new HashMap<>(Map.of("field1", value("new")))))
          .isEqualTo(Status.OK);
      Map<String, ByteIterator> read = new HashMap<>();
      assertThat(binding.read("t", "user12", null, read)).isEqualTo(Status.OK);
      assertThat(read.get("field0")).hasToString("a2");
      assertThat(read.get("field1")).hasToString("new");
      Vector<HashMap<String, ByteIterator>> rows = new Vector<>();
      assertThat(binding.scan("t", "user125", 3, Set.of("field0"), rows)).isEqualTo(Status.OK);
      assertThat(rows).hasSize(3);
      assertThat(rows.get(0)).containsOnlyKeys("field0");
      assertThat(rows.get(0).get("field0")).hasToString("a3");
      assertThat(binding.delete("t", "user12")).isEqualTo(Status.OK);
      assertThat(binding.read("t", "user12", null, read)).isEqualTo(Status.NOT_FOUND);
    } finally {
      binding.cleanup();
    }
  }

  private YcsbRun run(Path data, YcsbWorkload... workloads) {
    SavedResults kept =
        new SavedResults(directory.resolve("kept"), false, "commit", Fixtures.progress());
    return new YcsbRun(data, kept, List.of(workloads));
  }

  @Test
  void itsOwnClientLoadsAndRunsAWorkload() throws Exception {
    YcsbCell cell = new YcsbCell(StoreSpec.ours("split-forest"), 1, 200, 2, 1 << 20);
    YcsbResults results =
        run(directory.resolve("data"), YcsbWorkload.A, YcsbWorkload.F).run(List.of(cell));
    assertThat(results.ratio(cell.store(), cell.store(), "a")).isEqualTo(1);
    assertThat(results.rows()).hasSize(2 * YcsbWorkload.values().length);
    assertThat(results.rows().get(0).note()).contains("not measured");
    assertThat(directory.resolve("data")).doesNotExist();
  }

  @Test
  void aStoreThatFailsIsNotReportedWithFiguresThatLayThere() throws Exception {
    Path data = Files.createDirectories(directory.resolve("data"));
    exported(data, "READ Return=OK 200");
    StoreSpec broken = new StoreSpec("broken", StoreSpec.Kind.COPPICE, "no-such-policy");
    YcsbRun run = run(data, YcsbWorkload.B);
    assertThatThrownBy(() -> run.run(List.of(new YcsbCell(broken, 1, 200, 1, 1 << 20))))
        .isInstanceOf(RunFailedException.class)
        .hasMessageContaining("no-such-policy");
  }

  @Test
  void aClientThatDidLessThanItsOperationsIsNoResult() throws Exception {
    Path data = Files.createDirectories(directory.resolve("data"));
    // A file where the store's directory belongs, which the binding tells by a DBException.
    Files.createFile(data.resolve("store"));
    YcsbRun run = run(data, YcsbWorkload.B);
    YcsbCell cell = new YcsbCell(StoreSpec.ours("split-forest"), 1, 200, 1, 1 << 20);
    assertThatThrownBy(() -> run.run(List.of(cell)))
        .isInstanceOf(RunFailedException.class)
        .hasMessageContaining("did 0 of the 200 operations of run B");
  }

  /** Writes what the client exports: a metric, a measurement and a value in each text. */
  private Path exported(Path to, String... measurements) throws IOException {
    String entries =
        Stream.concat(Stream.of("OVERALL RunTime(ms) 1000"), Stream.of(measurements))
            .map(text -> (Object[]) text.split(" "))
            .map("{\"metric\":\"%s\",\"measurement\":\"%s\",\"value\":%s}"::formatted)
            .collect(Collectors.joining(",", "[", "]"));
    return Files.writeString(to.resolve("figures.json"), entries);
  }

  private YcsbFigures figures(String... measurements) throws IOException {
    return YcsbFigures.of(exported(directory, measurements), 0, 0);
  }

  @Test
  void aRecordReadChangedAndWrittenIsOneOperation() throws Exception {
    YcsbFigures figures =
        figures(
            "READ Return=OK 100",
            "UPDATE Return=OK 49",
            "READ-MODIFY-WRITE Operations 49",
            "Intended-READ-MODIFY-WRITE Operations 49");
    assertThat(figures.operations()).isEqualTo(100);
    assertThat(figures.settledRate()).isEqualTo(100);
  }

  @Test
  void aValueThatTheClientFindsWrongVoidsTheRunAndAComparisonIsNoOperation() throws Exception {
    assertThat(figures("READ Return=OK 100", "VERIFY Return=OK 100").operations()).isEqualTo(100);
    assertThatThrownBy(() -> figures("READ Return=OK 100", "VERIFY Return=UNEXPECTED_STATE 100"))
        .isInstanceOf(WrongAnswerException.class)
        .hasMessageContaining("VERIFY answered Return=UNEXPECTED_STATE");
  }

  @Test
  void anAnswerThatIsNotRightVoidsTheRun() {
    assertThatThrownBy(() -> figures("READ Return=OK 90", "READ Return=NOT_FOUND 10"))
        .isInstanceOf(WrongAnswerException.class)
        .hasMessageContaining("READ answered Return=NOT_FOUND");
  }
}
