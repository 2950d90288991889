// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.tool.store;

import io.coppice.tool.cli.CommandOptions;
import io.coppice.tool.cli.CommandOutput;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;

/**
 * One verb of the command {@code store}.
 *
 * @param name the verb as it is typed
 * @param header one line that says what it does
 * @param description further lines
 * @param places the arguments after the name, in order; the first is the directory. One in brackets
 *     may be missing; if it ends in three dots, it may also be repeated
 * @param options the options, which may occur anywhere
 * @param examples command lines without {@code store}
 * @param action carries out the verb
 */
public record StoreVerb(
    String name,
    String header,
    List<String> description,
    List<String> places,
    List<CommandOptions.Help> options,
    List<String> examples,
    Action action) {

  /** Action of a verb, which reads all arguments, then acts and returns the exit code. */
  interface Action {
    int run(StoreLine line, CommandOutput streams) throws IOException;
  }

  /** Returns the command, ready to be added to another. */
  CommandLine commandLine(CommandOutput streams) {
    CommandLine[] self = new CommandLine[1];
    Callable<Integer> call = () -> action.run(StoreLine.of(self[0], this), streams);
    CommandSpec spec = CommandSpec.wrapWithoutInspection(call).name(name);
    spec.mixinStandardHelpOptions(true);
    List<String> text = new ArrayList<>(List.of(""));
    text.addAll(description);
    text.add("");
    List<String> end = new ArrayList<>(List.of(""));
    for (String example : examples) {
      end.add("Example: store " + example);
    }
    end.add("Exit codes: 0 done, 1 failed or the answer is no, 2 wrong usage.");
    spec.usageMessage()
        .header(header)
        .customSynopsis(
            "coppice-tool store "
                + name
                + places.stream().map(place -> " " + place).collect(Collectors.joining())
                + " [OPTIONS]")
        .description(text.toArray(String[]::new))
        .footer(end.toArray(String[]::new))
        .sortOptions(false)
        .width(100);
    CommandOptions.declare(spec, options);
    CommandOptions.declarePlaces(spec);
    self[0] = new CommandLine(spec);
    return self[0];
  }
}
