// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.tool;

import io.coppice.testing.GeneratedPage;
import io.coppice.tool.cli.CommandOutput;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;

/** {@code docs/reference/cli.md} shows the help of the tool; {@code -Drewrite=1} makes it. */
class CommandPageTest {

  private static final Path PAGE = Path.of("..", "..", "docs", "reference", "cli.md");

  @Test
  void thePageIsTheHelpOfEveryCommand() throws IOException {
    CommandLine tool =
        Main.commandLine(
            new CommandOutput(
                new PrintWriter(new StringWriter()), new PrintWriter(new StringWriter())));
    GeneratedPage.of(PAGE).part("coppice-tool", CommandPage.lines("coppice-tool", tool)).check();
  }
}
