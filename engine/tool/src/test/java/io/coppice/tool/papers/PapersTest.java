// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.tool.papers;

import static org.assertj.core.api.Assertions.assertThat;

import io.coppice.simulator.Scenario;
import io.coppice.simulator.SimulationReport;
import io.coppice.simulator.Simulator;
import io.coppice.tool.ToolRun;
import io.coppice.tool.cli.ExitCode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class PapersTest {

  private static final Path PAGE = Path.of("..", "..", "docs", "policies", "papers.md");

  @TempDir Path directory;

  static Stream<PapersTable> quickTables() {
    return PapersTables.all().stream().filter(PapersTable::quick);
  }

  @ParameterizedTest
  @MethodSource("quickTables")
  void theCommittedPageSaysWhatIsSimulatedToday(PapersTable table) throws IOException {
    Map<Scenario, SimulationReport> found = new HashMap<>();
    table.scenarios().forEach(one -> found.put(one, Simulator.run(one, share -> {})));
    assertThat(new PapersPage(Files.readString(PAGE)).standing(table.name()))
        .as(
            "after a wanted change: java -jar engine/tool/target/coppice-tool.jar papers --write "
                + PAGE)
        .hasValue(table.markdown(found));
  }

  @Test
  void everyTableHasItsPlaceOnThePage() throws IOException {
    List<String> tables = PapersTables.all().stream().map(PapersTable::name).toList();
    assertThat(new PapersPage(Files.readString(PAGE)).names())
        .containsExactlyInAnyOrderElementsOf(
            Stream.concat(tables.stream(), Stream.of(PapersCommand.MADE)).toList());
  }

  @Test
  void fillingAPageKeepsItsProseAndOtherPlaces() {
    PapersPage page =
        new PapersPage(
            "a $1\n<!-- papers: x -->\nold\n<!-- end -->\nb\n<!-- papers: y -->\nstays\n<!-- end -->");
    assertThat(page.filled(Map.of("x", "| $new |\n")))
        .isEqualTo(
            "a $1\n<!-- papers: x -->\n| $new |\n<!-- end -->\nb\n<!-- papers: y -->\nstays\n<!-- end -->");
  }

  @Test
  void whatDoesNotGoTogetherIsNamedAtOnce() {
    ToolRun run = ToolRun.of("papers", "--quick", "--write", "--chart=x.svg", "--only=fwe");
    assertThat(run.code()).isEqualTo(ExitCode.USAGE);
    assertThat(run.err())
        .contains(
            "--only 'fwe' is not understood; known tables: delayed-976",
            "--write needs a page",
            "--chart needs the table delayed-free");
  }

  @Test
  void aPageThatIsNotThereCostsNoMinutes() {
    ToolRun run = ToolRun.of("papers", directory.resolve("none.md").toString());
    assertThat(run.code()).isEqualTo(ExitCode.USAGE);
    assertThat(run.err()).contains("none.md) must be a file that exists");
  }
}
