// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.policy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.coppice.policy.spec.Script;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicContainer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

class ScriptTest {

  private static final Path SOURCES = Path.of("src/test/resources/io/coppice/policy");

  @TestFactory
  Stream<DynamicContainer> policiesAnswerAsWritten() {
    if (System.getProperty("rewrite") != null) {
      ScriptRunner.rewrite(new PureHost(), SOURCES);
      return Stream.empty();
    }
    return ScriptRunner.tests(new PureHost());
  }

  @Test
  void everyScriptFileIsPlayed() throws IOException {
    try (Stream<Path> files = Files.walk(SOURCES)) {
      assertThat(
              files
                  .filter(file -> file.toString().endsWith(".script"))
                  .map(file -> SOURCES.relativize(file).toString().replace(".script", "")))
          .containsExactlyInAnyOrderElementsOf(ScriptRunner.names());
    }
  }

  @Test
  void wrongPlansBreakEveryLawThatTheCheckHolds() {
    Map<String, Integer> refused = new TreeMap<>();
    for (String name : ScriptRunner.names()) {
      for (Script.Case asked : ScriptRunner.read(name).cases()) {
        String answer = String.join(" ", asked.answer());
        if (answer.startsWith("law ")) {
          refused.merge(answer.substring(0, answer.indexOf(':')), 1, Integer::sum);
        }
      }
    }
    assertThat(refused.keySet())
        .containsExactlyInAnyOrder(
            "law 2", "law 3", "law 4", "law 5", "law 6", "law 7", "law 8", "law 11");
    assertThat(refused.values().stream().mapToInt(Integer::intValue).sum()).isGreaterThan(20);
  }

  @Test
  void rewritingWithTheSameAnswersLeavesTheTextAsItIs() throws IOException {
    for (String name : ScriptRunner.names()) {
      String text = Files.readString(SOURCES.resolve(name + ".script"));
      Script script = Script.parse(text);
      List<String> answers =
          script.cases().stream().map(asked -> String.join("\n", asked.answer())).toList();
      assertThat(script.with(answers)).isEqualTo(text);
    }
  }

  @Test
  void refusesADrawingThatMeansNothing() {
    refuses("shape adjacent\n  L0 run t1[a..c] 8X", "'t1[a..c] 8X' is no table");
    refuses("shape adjacent\n  L0 run G1{t1[a] 1M t2[b]}", "'t2[b]' is no table");
    refuses("shape adjacent\nrequest t1", "'request t1' is no request");
    refuses("shape adjacent\n  L0 runs", "'runs' is no run");
    String one = "shape adjacent\n  L0 run t1[a] 1M\n";
    refusesToAnswer(one + "propose merge t1", "'merge t1' is no plan");
    refusesToAnswer(one + "propose drop t1 -> L0.0", "'drop t1 -> L0.0' is no plan");
    refusesToAnswer(one + "propose move t1 -> L0.0 by=1", "of [by] not all are understood");
    refuses("shape adjacent\n  L0 run\nplans leveled", "'plans leveled' is not understood");
    refuses("shape adjacent\n  L0 run t1[a] 1M t1[b] 1M\nplan leveled\n", "1 is drawn twice");
    refuses("shape adjacent\n  L1 run A from B\nplan leveled\n", "sources [B] are not all drawn");
    refuses(
        "shape free\n  L0 run t1[a] 1M\n     run t2[b] 1M\nplan leveled\n",
        "under FREE the runs of a level are its first-fit colours");
  }

  private static void refusesToAnswer(String text, String message) {
    Script.Case asked = Script.parse(text).cases().get(0);
    assertThatThrownBy(() -> new PureHost().answer(asked.tree(), asked.question()))
        .hasMessageContaining(message);
  }

  private static void refuses(String text, String message) {
    assertThatThrownBy(() -> Script.parse(text)).hasMessageContaining(message);
  }
}
