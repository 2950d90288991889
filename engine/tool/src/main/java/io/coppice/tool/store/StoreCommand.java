// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.tool.store;

import io.coppice.tool.cli.CommandOutput;
import io.coppice.tool.cli.ExitCode;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;

/** The command {@code store}, with all verbs for a store that no program has open. */
public final class StoreCommand {

  private StoreCommand() {}

  /** Returns all verbs, read-only ones first. */
  public static List<StoreVerb> verbs() {
    List<StoreVerb> verbs = new ArrayList<>();
    verbs.add(StoreStatsVerb.VERB);
    verbs.add(StoreVerifyVerb.VERB);
    verbs.add(StoreDumpVerb.VERB);
    verbs.addAll(StoreKeyVerbs.READING);
    verbs.addAll(StoreKeyVerbs.WRITING);
    verbs.addAll(StoreWholeVerbs.VERBS);
    verbs.add(StoreRepairVerb.VERB);
    verbs.add(StoreBenchVerb.VERB);
    return verbs;
  }

  /** Returns the command with its verbs. */
  public static CommandLine commandLine(CommandOutput streams) {
    CommandLine[] self = new CommandLine[1];
    Callable<Integer> help =
        () -> {
          streams
              .err()
              .println(
                  "coppice-tool store has no verb; expected one of "
                      + String.join(", ", self[0].getSubcommands().keySet()));
          streams.err().println("Nothing was started; see coppice-tool store --help.");
          return ExitCode.USAGE;
        };
    CommandSpec spec = CommandSpec.wrapWithoutInspection(help).name("store");
    spec.mixinStandardHelpOptions(true);
    spec.usageMessage()
        .header("Reads and changes a store that no other program has open.")
        .description(
            "",
            "KEY and VALUE are text. hex:00ff stands for bytes, @FILE for the bytes of a file, and",
            "text:TEXT for text that starts with hex:, @, text: or -.",
            "")
        .footer(
            "",
            "If a program has the store open, the command fails and names the program. Each verb has"
                + " its own --help.",
            "Exit codes: 0 done, 1 failed or the answer is no, 2 wrong usage.");
    spec.usageMessage().width(100);
    self[0] = new CommandLine(spec);
    verbs().forEach(verb -> self[0].addSubcommand(verb.name(), verb.commandLine(streams)));
    return self[0];
  }
}
