// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.tool;

import io.coppice.policy.LevelFacts;
import io.coppice.policy.Plan;
import io.coppice.policy.Shape;
import io.coppice.policy.observe.Decision;
import io.coppice.policy.observe.DecisionJournal;
import io.coppice.policy.spec.PolicySpec;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Iterator;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Collectors;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/**
 * The command {@code replay}, which checks whether recorded shapes still lead to the same plans.
 */
@Command(
    name = "replay",
    mixinStandardHelpOptions = true,
    header = "Asks the questions of a decision journal again and compares the answers.",
    description = {
      "",
      "A journal has one decision a line, as simulate --journal writes it: the policy, the shape",
      "of the store and the budget it saw, and its plan.",
      ""
    },
    footer = {
      "",
      "Exit codes: 0 all the same, 1 a plan differs or the journal is damaged, 2 usage."
    })
final class ReplayCommand implements Callable<Integer> {

  private final CommandOutput streams;

  @Parameters(paramLabel = "FILE", description = "The journal.")
  private Path file;

  ReplayCommand(CommandOutput streams) {
    this.streams = streams;
  }

  @Override
  public Integer call() throws IOException {
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
      throw e.getCause();
    }
    PrintWriter out = streams.out();
    if (difference.isEmpty()) {
      out.println("replayed " + asked + " decisions: all the same");
      return ExitCode.DONE;
    }
    explain(difference.get(), out);
    return ExitCode.FAILED;
  }

  private Decision decision(String line, long number) {
    try {
      return JournalCodec.decision(line);
    } catch (IllegalArgumentException | ArithmeticException e) {
      throw new UncheckedIOException(
          new IOException(file + ": decision " + number + ": " + e.getMessage(), e));
    }
  }

  private static void explain(DecisionJournal.Difference difference, PrintWriter out) {
    Decision decision = difference.decision();
    out.println("decision " + decision.sequence() + " is answered otherwise today");
    out.println("  policy  " + decision.policy());
    out.println("  shape   " + text(decision.shape()));
    out.println("  then    " + text(decision.plan()));
    out.println("  today   " + text(difference.today()));
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
