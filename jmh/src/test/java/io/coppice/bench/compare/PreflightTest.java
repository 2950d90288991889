// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.bench.compare;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.coppice.bench.cassandra.EnvironmentException;
import io.coppice.bench.compare.report.CompareOptions;
import io.coppice.bench.compare.report.Results;
import io.coppice.bench.compare.report.Scale;
import io.coppice.bench.report.Machine;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.Writer;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class PreflightTest {

  private static final long GIB = 1L << 30;
  private static final Path DIRECTORY = Path.of("/data/target/compare");

  @TempDir Path directory;

  private static Scale scale(String name) {
    return Results.options("scale", name).scale();
  }

  @Test
  void theDefaultFitsTheMachineOfTheReadme() {
    assertThat(new Preflight(4 * GIB, 3 * GIB, 3 * GIB).refusal(scale("first"), DIRECTORY))
        .isEmpty();
  }

  @Test
  void eachLackIsOneSentenceWithWhatIsNeededWhatThereIsAndWhatToDo() {
    assertThat(new Preflight(GIB, GIB, 9 * GIB).refusal(scale("first"), DIRECTORY))
        .contains(
            "scale first needs 1,610 MB of memory, and this machine or container has 1,073;"
                + " use a larger one.");
    assertThat(new Preflight(8 * GIB, GIB, 9 * GIB).refusal(scale("first"), DIRECTORY))
        .contains(
            "scale first needs 1,610 MB of free memory, and 1,073 of 8,589 are available;"
                + " end other programs.");
    assertThat(new Preflight(8 * GIB, 8 * GIB, GIB).refusal(scale("first"), DIRECTORY))
        .contains(
            "scale first needs 1,369 MB of free disk in /data/target/compare, and 1,073 are free;"
                + " make room or start it in another directory.");
  }

  @Test
  void aLargerScaleNeedsMore() {
    Preflight machine = new Preflight(2 * GIB, 2 * GIB, 4 * GIB);
    assertThat(machine.refusal(scale("first"), DIRECTORY)).isEmpty();
    assertThat(machine.refusal(scale("small"), DIRECTORY).orElseThrow()).contains("memory");
    assertThat(new Preflight(8 * GIB, 8 * GIB, 4 * GIB).refusal(scale("large"), DIRECTORY))
        .hasValueSatisfying(sentence -> assertThat(sentence).contains("free disk"));
    assertThatThrownBy(() -> machine.check(scale("large"), DIRECTORY))
        .isInstanceOf(EnvironmentException.class)
        .hasMessageStartingWith("scale large needs 2,684 MB of memory");
  }

  @Test
  void aDirectoryThatCannotBeMadeIsOneSentence() throws IOException {
    Path file = Files.createFile(directory.resolve("file"));
    PrintWriter nothing = new PrintWriter(Writer.nullWriter());
    CompareOptions options = Results.options();
    assertThatThrownBy(
            () -> new Comparison(options, file.resolve("compare"), nothing, nothing).run())
        .isInstanceOf(EnvironmentException.class)
        .hasMessageContaining("cannot create the directory " + file)
        .hasMessageContaining("start it where you may write");
  }

  @Test
  void availableMemoryIsThatOfTheSystemWhereItSaysSo() throws IOException {
    Path meminfo = directory.resolve("meminfo");
    Files.writeString(meminfo, "MemTotal:       24576 kB\nMemAvailable:   2048 kB\nX: 1 kB\n");
    assertThat(Machine.availableBytes(meminfo, 7)).isEqualTo(2L << 20);
    Files.writeString(meminfo, "MemTotal:       24576 kB\n");
    assertThat(Machine.availableBytes(meminfo, 7)).isEqualTo(7);
    assertThat(Machine.availableBytes(directory.resolve("none"), 7)).isEqualTo(7);
    assertThat(Preflight.of(directory).diskBytes()).isPositive();
  }
}
