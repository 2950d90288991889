// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.tool;

import static org.assertj.core.api.Assertions.assertThat;

import io.coppice.testing.Seeds;
import io.coppice.tool.cli.CommandOutput;
import io.coppice.tool.cli.ExitCode;
import io.coppice.tool.jmx.JmxOption;
import java.io.PrintWriter;
import java.io.Writer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;
import picocli.CommandLine.Model.OptionSpec;

/** Laws about the options of all commands, with wrong values that a seed decides. */
class OptionLawTest {

  private static final long SEED = Seeds.first();

  /** Labels of values that the tool cannot judge before it has opened something. */
  private static final Pattern ANY_TEXT =
      Pattern.compile("NAME|KEY|OPTION=VALUE,\\.\\.\\.|NAME\\[,OPTION=VALUE\\.\\.\\.\\]");

  private static final Pattern EXPECTED =
      Pattern.compile("must be|is not understood; (did you mean|known)");

  @TempDir Path home;

  private final Map<String, CommandLine> commands = new TreeMap<>();

  private void collect(String name, CommandLine command) {
    if (command.getSubcommands().isEmpty()) {
      commands.put(name, command);
    }
    command.getSubcommands().forEach((word, below) -> collect(name + " " + word, below));
  }

  private Map<String, CommandLine> commands() {
    PrintWriter nowhere = new PrintWriter(Writer.nullWriter());
    Main.commandLine(new CommandOutput(nowhere, nowhere)).getSubcommands().forEach(this::collect);
    assertThat(commands).hasSizeGreaterThan(20);
    return commands;
  }

  private static List<OptionSpec> withValues(CommandLine command) {
    return command.getCommandSpec().options().stream()
        .filter(option -> option.arity().max() > 0)
        // The address of a simulation refuses the options of a synthetic load.
        .filter(
            option ->
                !command.getCommandName().equals("simulate")
                    || !option.longestName().matches("--(jmx|observe|user|password-file)"))
        .toList();
  }

  /** Returns a text that no option takes. */
  private String wrong(OptionSpec option, Random random) {
    return option.paramLabel().equals("FILE")
        ? home.resolve("absent" + random.nextInt(100)).resolve("file").toString()
        : "?" + (char) ('a' + random.nextInt(26)) + random.nextInt(1000);
  }

  private static ToolRun run(String command, List<String> more) {
    List<String> line = new ArrayList<>(List.of(command.split(" ")));
    line.addAll(more);
    return ToolRun.of(line.toArray(String[]::new));
  }

  @Test
  void allWrongValuesOfAllOptionsAreNamedAtOnceWithWhatIsExpected() {
    Random random = new Random(SEED);
    commands()
        .forEach(
            (name, command) -> {
              Map<String, String> wrong = new TreeMap<>();
              for (OptionSpec option : withValues(command)) {
                if (!ANY_TEXT.matcher(option.paramLabel()).matches()) {
                  wrong.put(option.longestName(), wrong(option, random));
                }
              }
              List<String> line = new ArrayList<>();
              wrong.forEach((option, value) -> line.add(option + "=" + value));
              if (wrong.containsKey("--password-file")) {
                line.add("--user=me");
              }
              Collections.shuffle(line, random);
              line.add("--nonsense");
              ToolRun run = run(name, line);
              String said = "-Dseed=" + SEED + " " + name + " " + line + "\n" + run.err();
              assertThat(run.code()).as(said).isEqualTo(ExitCode.USAGE);
              assertThat(run.out()).as(said).isEmpty();
              assertThat(run.err()).as(said).contains("'--nonsense' is not understood");
              wrong.forEach(
                  (option, value) ->
                      assertThat(
                              run.err()
                                  .lines()
                                  .filter(text -> text.matches(".*" + option + "[ :].*")))
                          .as(said)
                          .anySatisfy(
                              text -> assertThat(text).contains(value).containsPattern(EXPECTED)));
            });
  }

  @Test
  void allOptionsWithoutTheirValueAreNamedAtOnce() {
    commands()
        .forEach(
            (name, command) -> {
              List<String> options =
                  withValues(command).stream().map(OptionSpec::longestName).toList();
              // An option takes the next word as its value unless that is an option.
              ToolRun run = run(name, options);
              for (String option : options) {
                assertThat(run.err())
                    .as(name)
                    .contains("'" + option + "' has no value; write it as " + option + "=value");
              }
            });
  }

  /** One name means one thing: the same placeholder and the same text in every command. */
  @Test
  void anOptionIsTheSameInEveryCommand() {
    Map<String, String> seen = new TreeMap<>();
    List<String> addresses = new ArrayList<>();
    commands()
        .forEach(
            (name, command) -> {
              for (OptionSpec option : command.getCommandSpec().options()) {
                assertThat(option.longestName()).as(name).matches("--[a-z]+(-[a-z]+)*");
                if (option.paramLabel().contains("HOST")) {
                  addresses.add(option.longestName());
                }
                if (List.of("--json", "--memory", "--family", "--ssl", "--user")
                    .contains(option.longestName())) {
                  String text = String.join(" ", option.description());
                  assertThat(seen.computeIfAbsent(option.longestName(), key -> text))
                      .as(name)
                      .isEqualTo(text);
                }
              }
            });
    assertThat(addresses).hasSize(5).containsOnly(JmxOption.NAME);
  }
}
