// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.tool.simulate;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.coppice.policy.LevelFacts;
import io.coppice.policy.Plan;
import io.coppice.policy.Shape;
import io.coppice.policy.observe.Decision;
import io.coppice.policy.observe.DecisionJournal;
import io.coppice.policy.spec.PolicySpec;
import io.coppice.tool.cli.ByteText;
import io.coppice.tool.cli.CommandOptions;
import io.coppice.tool.cli.CommandOutput;
import io.coppice.tool.cli.ExitCode;
import io.coppice.tool.format.JournalCodec;
import io.coppice.tool.format.JsonLines;
import io.coppice.tool.format.PlanJson;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Iterator;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Collectors;
import picocli.CommandLine;
import picocli.CommandLine.Command;

/**
 * The command {@code replay}, which checks whether recorded shapes still lead to the same plans.
 * Used by one thread.
 */
@Command(
    name = "replay",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    customSynopsis = "coppice-tool replay FILE [OPTIONS]",
    header = "Plans each decision of a journal again and compares the plans.",
    description = {
      "",
      "A journal has one decision per line: the policy, the shape of the store, the budget, and the",
      "plan. simulate --journal and store stats --journal write it.",
      ""
    },
    footer = {
      "",
      "Example: replay journal.jsonl",
      "Exit codes: 0 all plans are equal, 1 a plan differs, or the journal is damaged or empty,",
      "2 wrong usage."
    })
public final class ReplayCommand implements Callable<Integer> {

  private final CommandOutput streams;
  private final CommandLine commandLine;
  private Path file;

  private ReplayCommand(CommandOutput streams) {
    this.streams = streams;
    commandLine = new CommandLine(this);
  }

  /** Returns the command, ready to be added to another. */
  public static CommandLine commandLine(CommandOutput streams) {
    ReplayCommand command = new ReplayCommand(streams);
    CommandOptions.declare(command.commandLine.getCommandSpec(), List.of(CommandOptions.JSON));
    CommandOptions.declarePlaces(command.commandLine.getCommandSpec());
    return command.commandLine;
  }

  @Override
  public Integer call() throws IOException {
    CommandOptions options = CommandOptions.of(commandLine);
    List<String> places = options.places(List.of("FILE"));
    final boolean json = options.flag(CommandOptions.JSON.name());
    file = places.isEmpty() ? null : options.oldFile("FILE", places.get(0));
    options.complain();
    AtomicLong asked = new AtomicLong();
    Optional<DecisionJournal.Difference> difference;
    try (BufferedReader lines = Files.newBufferedReader(file)) {
      Iterator<Decision> decisions =
          lines
              .lines()
              .filter(line -> !line.isBlank())
              .map(line -> decision(line, asked.incrementAndGet()))
              .iterator();
      difference = DecisionJournal.replay(() -> decisions, PolicySpec::policy);
    } catch (UncheckedIOException e) {
      throw new IOException(file + ": " + CommandOutput.cause(e.getCause()), e);
    }
    if (asked.get() == 0) {
      throw new IOException(
          file + ": it has no decision to replay; write a journal by simulate --journal");
    }
    PrintWriter out = streams.out();
    if (json) {
      JsonLines.print(document(asked.get(), difference), out);
    } else if (difference.isEmpty()) {
      out.println(
          "replayed " + CommandOutput.count(asked.get(), "decision") + ": all plans are equal");
    } else {
      explain(difference.get(), out);
    }
    return difference.isEmpty() ? ExitCode.DONE : ExitCode.FAILED;
  }

  private static ObjectNode document(
      long decisions, Optional<DecisionJournal.Difference> difference) {
    ObjectNode root = JsonLines.object();
    root.put("decisions", decisions);
    root.put("equal", difference.isEmpty());
    if (difference.isEmpty()) {
      root.putNull("difference");
      return root;
    }
    Decision decision = difference.get().decision();
    root.putObject("difference")
        .put("sequence", decision.sequence())
        .put("policy", decision.policy().toString())
        .put("shape", text(decision.shape()))
        .put("recorded", text(decision.plan()))
        .put("present", text(difference.get().today()));
    return root;
  }

  private Decision decision(String line, long number) {
    try {
      return JournalCodec.decision(line);
    } catch (IllegalArgumentException | ArithmeticException e) {
      throw new UncheckedIOException(
          new IOException("decision " + number + ": " + e.getMessage(), e));
    }
  }

  private static void explain(DecisionJournal.Difference difference, PrintWriter out) {
    Decision decision = difference.decision();
    out.println("decision " + decision.sequence() + " leads to another plan");
    out.println("  policy    " + decision.policy());
    out.println("  shape     " + text(decision.shape()));
    out.println("  recorded  " + text(decision.plan()));
    out.println("  present   " + text(difference.today()));
  }

  private static String text(Shape shape) {
    StringBuilder text = new StringBuilder(shape.rule().toString().toLowerCase(Locale.ROOT));
    for (int i = 0; i < shape.levels().size(); i++) {
      LevelFacts level = shape.levels().get(i);
      text.append(", L").append(i).append(' ').append(level.runs().size()).append(" runs ");
      text.append(ByteText.format(level.bytes()));
    }
    return text.toString();
  }

  private static String text(Optional<Plan> answer) {
    if (answer.isEmpty()) {
      return "nothing";
    }
    Plan plan = answer.get();
    StringBuilder text = new StringBuilder(PlanJson.kind(plan));
    text.append(
        plan.slices().stream().map(String::valueOf).collect(Collectors.joining(" ", " ", "")));
    if (plan instanceof Plan.Placing placing) {
      text.append(" -> L").append(placing.target().level());
      text.append(placing.target().isNew() ? " new run" : " run " + placing.target().run());
    }
    if (plan instanceof Plan.Merge merge) {
      text.append(", cleaning after ").append(merge.cleaningThreshold());
    }
    return text.append(", because ").append(plan.reason().sentence()).toString();
  }
}
