// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.policy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
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
    try (Stream<Path> files = Files.list(SOURCES)) {
      assertThat(files.map(file -> file.getFileName().toString().replace(".script", "")))
          .containsExactlyInAnyOrderElementsOf(ScriptRunner.NAMES);
    }
  }

  @Test
  void rewritingWithTheSameAnswersLeavesTheTextAsItIs() throws IOException {
    for (String name : ScriptRunner.NAMES) {
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
    refuses("shape adjacent\n  L0 runs", "'runs' is no run");
    refuses("shape adjacent\n  L0 run\nplans leveled", "'plans leveled' is not understood");
    refuses("shape adjacent\n  L0 run t1[a] 1M t1[b] 1M\nplan leveled\n", "1 is drawn twice");
    refuses("shape adjacent\n  L1 run A from B\nplan leveled\n", "sources [B] are not all drawn");
    refuses(
        "shape free\n  L0 run t1[a] 1M\n     run t2[b] 1M\nplan leveled\n",
        "under FREE the runs of a level are its first-fit colours");
  }

  private static void refuses(String text, String message) {
    assertThatThrownBy(() -> Script.parse(text)).hasMessageContaining(message);
  }
}
