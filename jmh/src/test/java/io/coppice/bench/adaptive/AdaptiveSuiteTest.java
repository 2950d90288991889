// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.bench.adaptive;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.coppice.base.InvalidOptionsException;
import io.coppice.bench.engine.CoppiceStore;
import io.coppice.bench.suite.SuiteRow;
import io.coppice.bench.suite.WrongAnswerException;
import io.coppice.workload.Keys;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class AdaptiveSuiteTest {

  private static final AdaptiveScale SCALE = AdaptiveScale.TINY;

  @TempDir private Path directory;

  @Test
  void everyFaultOfTheOptionsIsNamed() {
    assertThatThrownBy(
            () ->
                AdaptiveOptions.parse(
                    Map.of("scale", "tinny", "rounds", "0", "rows", "*"), List.of("--sed=3")))
        .isInstanceOfSatisfying(
            InvalidOptionsException.class,
            e ->
                assertThat(e.errors())
                    .hasSize(4)
                    .anyMatch(fault -> fault.contains("nearest is tiny"))
                    .anyMatch(fault -> fault.startsWith("--rounds (0) must be in 1..99"))
                    .anyMatch(fault -> fault.startsWith("--rows is no option of this suite"))
                    .anyMatch(fault -> fault.contains("nearest is --seed")));
    assertThat(AdaptiveOptions.parse(Map.of("scale", "tiny"), List.of()).rounds()).isOne();
  }

  @Test
  void aPolicyGoesThroughAllPhasesAndAnswersRightly() {
    ByteArrayOutputStream told = new ByteArrayOutputStream();
    String policy = "adaptive,window=1,dwell=1";
    try (CoppiceStore store = PhasesProcess.open(policy, directory.resolve("store"), SCALE)) {
      new PhasesProcess(SCALE, 42, store, new PrintStream(told, true, StandardCharsets.UTF_8))
          .run();
    }
    List<String> lines =
        told.toString(StandardCharsets.UTF_8)
            .lines()
            .filter(line -> !line.startsWith("at ") && !line.startsWith("rung "))
            .toList();
    assertThat(lines).hasSize(4);
    assertThat(lines.get(0)).startsWith("phase write ");
    assertThat(lines.get(1)).startsWith("phase read ");
    assertThat(lines.get(2)).startsWith("phase mixed ");
    assertThat(lines.get(3)).matches("whole \\S+ \\S+ \\S+");
    assertThat(PhasesProcess.firstRung(policy)).isEqualTo(4);
  }

  @Test
  void aWrongAnswerIsNoticed() {
    try (CoppiceStore store = PhasesProcess.open("tiered", directory.resolve("store"), SCALE)) {
      byte[] key = new byte[Keys.BYTES];
      byte[] value = new byte[AdaptiveScale.VALUE_BYTES];
      for (int i = 0; i < SCALE.keys(); i++) {
        Keys.write(key, i);
        store.put(key, value, 0, value.length);
      }
      PhasesProcess process =
          new PhasesProcess(SCALE, 42, store, new PrintStream(new ByteArrayOutputStream()));
      assertThatThrownBy(process::run).isInstanceOf(WrongAnswerException.class);
    }
  }

  private static Outcome outcome(double rate, double seconds, Integer... rungs) {
    return new Outcome(
        Map.of(Phase.WRITE, rate, Phase.READ, 2 * rate, Phase.MIXED, 3 * rate),
        rate / 2,
        seconds,
        4,
        List.of(rungs));
  }

  @Test
  void rowsStandBesideEachPolicyAndBesideTheFastest() {
    Map<String, List<Outcome>> fixed = new LinkedHashMap<>();
    fixed.put("leveled", List.of(outcome(100, 8), outcome(120, 8)));
    fixed.put("split-forest", List.of(outcome(300, 2), outcome(300, 2)));
    List<SuiteRow> rows =
        AdaptiveRows.of(List.of(outcome(200, 4, 4, 6, 0), outcome(240, 4, 4, 0)), fixed);
    assertThat(rows).hasSize(4 * 3 + 2 * 2).noneMatch(SuiteRow::hasGoal);
    assertThat(rows).extracting(SuiteRow::id).doesNotHaveDuplicates();
    SuiteRow leveled = row(rows, "write_leveled");
    assertThat(leveled.ours().median()).isEqualTo(220);
    assertThat(leveled.ratio().median()).isEqualTo(2);
    SuiteRow best = row(rows, "whole_best");
    assertThat(best.peer().median()).isEqualTo(150);
    assertThat(best.note()).isEqualTo("split-forest is the fastest; rungs 4>6>0");
    assertThat(row(rows, "whole_processor_split_forest").ratio().median()).isEqualTo(0.5);
  }

  private static SuiteRow row(List<SuiteRow> rows, String id) {
    return rows.stream().filter(row -> row.id().equals(id)).findFirst().orElseThrow();
  }
}
