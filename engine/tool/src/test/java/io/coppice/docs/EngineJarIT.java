// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.docs;

import static org.assertj.core.api.Assertions.assertThat;

import io.coppice.testing.BareJava;
import io.coppice.testing.BareJava.Ended;
import io.coppice.testing.Libraries;
import io.coppice.testing.Program;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The README's program on the jar that is released, beside the libraries that it brings along. */
class EngineJarIT {

  private static final List<Path> JARS =
      List.of(Jars.of("store", "coppice-engine"), Jars.of("policy", "coppice-policy"));
  private static final List<String> SAID = List.of("fast", "oak", "willow");

  @TempDir private Path directory;

  @Test
  void itIsEnoughOnTheClassPath() throws Exception {
    assertThat(run("--class-path", path())).isEqualTo(new Ended(0, SAID, List.of()));
  }

  /** Where Netty asks SLF4J, as the page on compatibility says. */
  @Test
  void itIsEnoughOnTheModulePath() throws Exception {
    Ended ended = run("--module-path", path(), "--add-modules", "ALL-MODULE-PATH");
    assertThat(ended.code()).as(ended.toString()).isZero();
    assertThat(ended.out()).isEqualTo(SAID);
    assertThat(ended.err()).hasSize(3).allMatch(line -> line.startsWith("SLF4J: "));
  }

  private static String path() throws IOException {
    List<String> path = new ArrayList<>(JARS.stream().map(Path::toString).toList());
    path.addAll(
        Libraries.paths(
            Libraries.read("store").stream().filter(library -> !library.optional()).toList()));
    return String.join(File.pathSeparator, path);
  }

  private Ended run(String... flags) throws IOException, InterruptedException {
    String source = Program.source(Files.readString(Path.of("..", "..", "README.md")), "Example");
    Path program = Files.writeString(directory.resolve("Example.java"), source);
    List<String> command = new ArrayList<>();
    // Else a store tells, as information, that it was opened.
    command.add("-Djava.util.logging.config.file=../policy/src/test/resources/logging.properties");
    command.addAll(List.of(flags));
    command.add(program.toString());
    command.add(directory.resolve("trees").toString());
    return BareJava.run(directory, command);
  }
}
