// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.bench.planning;

import io.coppice.bench.ExitCode;
import io.coppice.bench.cassandra.EnvironmentException;
import io.coppice.bench.cassandra.NodeException;
import io.coppice.bench.suite.Machine;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import javax.management.JMException;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** The command {@code planning}: what planning costs a node with many SSTables. */
@Command(
    name = "planning",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    description = {
      "Measures what planning costs a Cassandra node with many SSTables.",
      "Makes a table of a Cassandra node with many SSTables and flushes to it every few seconds.",
      "After each flush its strategy is asked for work as Cassandra asks it, estimate first, and",
      "the processor time of these questions alone is counted. Ordered SSTables lie in one run a",
      "level, as merges leave them; what is planned is carried out and it is asked again, until",
      "there is nothing to do. Overlapping ones all lie in level 0, each a run; one question a",
      "flush, whose answer is let go of. A poll is a question when nothing has changed."
    },
    footer = {
      "",
      "Example: java -jar coppice-bench.jar planning --tables=5000",
      "Exit codes: 0 done, 2 wrong usage, 4 a node did not do its work, 5 this machine lacks",
      "something."
    })
public final class PlanningCommand implements Callable<Integer> {

  private static final int MOST_TABLES = 20_000;
  private static final int MOST_FLUSHES = 1000;
  private static final int MOST_SECONDS = 600;
  private static final double AIM = 0.01;

  @Spec private CommandSpec spec;

  @Option(
      names = "--tables",
      paramLabel = "N",
      defaultValue = "5000",
      description = "SSTables, 1 to 20000; default ${DEFAULT-VALUE}.")
  private int tables;

  @Option(
      names = "--flushes",
      paramLabel = "N",
      defaultValue = "20",
      description = "That count, 1 to 1000; default ${DEFAULT-VALUE}.")
  private int flushes;

  @Option(
      names = "--warm-up",
      paramLabel = "N",
      defaultValue = "100",
      description = "Flushes before, without a pause, 0 to 1000; default ${DEFAULT-VALUE}.")
  private int warmUp;

  @Option(
      names = "--seconds",
      paramLabel = "N",
      defaultValue = "10",
      description = "Between two flushes, 1 to 600; default ${DEFAULT-VALUE}.")
  private int seconds;

  @Option(
      names = "--policies",
      paramLabel = "NAME",
      split = ",",
      defaultValue = "split-forest,delayed",
      description = "Default ${DEFAULT-VALUE}.")
  private List<String> policies;

  @Option(
      names = "--arrangements",
      paramLabel = "NAME",
      split = ",",
      defaultValue = "ordered,overlapping",
      description = "Of ordered and overlapping; default ${DEFAULT-VALUE}.")
  private List<String> arrangements;

  @Option(
      names = "--java-home",
      paramLabel = "DIR",
      description = "JDK 17 for the node; default: the running one, or Maven's toolchains.")
  private Path javaHome;

  @Override
  public Integer call() throws IOException, InterruptedException, JMException {
    PrintWriter out = spec.commandLine().getOut();
    PrintWriter err = spec.commandLine().getErr();
    List<String> faults = faults();
    if (!faults.isEmpty()) {
      faults.forEach(err::println);
      err.println("Nothing was started. See: java -jar coppice-bench.jar planning --help");
      return ExitCode.USAGE;
    }
    out.println(Machine.now().line());
    out.println();
    out.println(
        "                           SSTables  deep  asks a  processor ms a flush  one ask  poll"
            + "    % of  s a flush");
    out.println(
        "                                            flush   estimate       next  most ms    ms"
            + "  a core     at 1 %");
    Path directory = Path.of("target", "bench", "planning").toAbsolutePath();
    try {
      for (String name : arrangements) {
        // Of its own, as the SSTables of one alone fill much of the heap.
        try (PlannedNode node = PlannedNode.start(directory, Optional.ofNullable(javaHome))) {
          measure(node, Arrangement.valueOf(name.toUpperCase(Locale.ROOT)), out);
        }
      }
    } catch (EnvironmentException e) {
      err.println(e.getMessage());
      return ExitCode.ENVIRONMENT;
    } catch (NodeException e) {
      err.println(e.getMessage());
      return ExitCode.INCOMPLETE;
    }
    out.println();
    out.println("deep: most SSTables over one key; load after: " + load());
    return ExitCode.DONE;
  }

  private static String load() {
    return String.format(Locale.ROOT, "%.1f", Machine.now().load());
  }

  private List<String> faults() {
    List<String> faults = new ArrayList<>();
    check(faults, "--tables", tables, 1, MOST_TABLES);
    check(faults, "--flushes", flushes, 1, MOST_FLUSHES);
    check(faults, "--warm-up", warmUp, 0, MOST_FLUSHES);
    check(faults, "--seconds", seconds, 1, MOST_SECONDS);
    for (String name : arrangements) {
      if (!name.equals("ordered") && !name.equals("overlapping")) {
        faults.add("--arrangements (" + name + ") must be ordered or overlapping");
      }
    }
    for (String policy : policies) {
      if (!policy.matches("[a-z-]+")) {
        faults.add("--policies (" + policy + ") must be names of policies");
      }
    }
    return faults;
  }

  private static void check(List<String> faults, String option, int value, int least, int most) {
    if (value < least || value > most) {
      faults.add(option + " (" + value + ") must be in " + least + ".." + most);
    }
  }

  private void measure(PlannedNode node, Arrangement arrangement, PrintWriter out)
      throws IOException, InterruptedException, JMException {
    node.make(arrangement, tables, policies.get(0));
    for (String policy : policies) {
      node.change(arrangement, policy);
      for (int i = 0; i < warmUp; i++) {
        node.meter().flush(arrangement.carriedOut());
        node.look(arrangement);
      }
      List<long[]> afterFlushes = new ArrayList<>();
      List<long[]> polls = new ArrayList<>();
      for (int i = 0; i < flushes; i++) {
        TimeUnit.SECONDS.sleep(seconds);
        afterFlushes.add(node.meter().flush(arrangement.carriedOut()));
        polls.add(node.meter().poll());
      }
      print(out, policy, arrangement, node, Cost.of(afterFlushes), Cost.of(polls));
    }
  }

  private void print(
      PrintWriter out,
      String policy,
      Arrangement arrangement,
      PlannedNode node,
      Cost flush,
      Cost poll) {
    out.printf(
        Locale.ROOT,
        "%-12s  %-11s  %8d  %4d  %6.1f  %9.1f  %9.1f  %7.1f  %4.1f  %6.2f  %9.1f%n",
        policy,
        arrangement.name().toLowerCase(Locale.ROOT),
        node.meter().getTables(),
        node.meter().getMaxOverlap(),
        flush.asks(),
        flush.estimateMillis(),
        flush.nextMillis(),
        flush.mostMillis(),
        poll.millis(),
        100 * Cost.share(flush, poll, seconds),
        Cost.secondsAt(AIM, flush, poll));
    out.flush();
  }
}
