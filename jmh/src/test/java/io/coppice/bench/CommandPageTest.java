// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.bench;

import io.coppice.docs.CommandPage;
import io.coppice.docs.GeneratedPage;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;
import picocli.CommandLine.Help.Ansi;

/** {@code docs/reference/cli.md} shows the help of the benchmarks; {@code -Drewrite=1} makes it. */
class CommandPageTest {

  private static final Path PAGE = Path.of("..", "docs", "reference", "cli.md");

  private final CommandLine bench =
      Main.commandLine(new PrintWriter(new StringWriter()), new PrintWriter(new StringWriter()));

  private CommandLine command(List<String> words) {
    CommandLine command = bench;
    for (String word : words) {
      command = command.getSubcommands().get(word);
    }
    return command;
  }

  @Test
  void thePageIsTheHelpOfEveryCommand() throws IOException {
    List<String> lines =
        CommandPage.lines(
            "coppice-bench",
            words -> command(words).getUsageMessage(Ansi.OFF),
            words -> List.copyOf(command(words).getSubcommands().keySet()));
    GeneratedPage.of(PAGE).part("coppice-bench", lines).check();
  }
}
