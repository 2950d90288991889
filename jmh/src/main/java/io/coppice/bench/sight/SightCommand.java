// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.bench.sight;

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
import javax.management.JMException;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** The command {@code sight}: what the console's questions cost a process with many tables. */
@Command(
    name = "sight",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    description = {
      "Measures what the console's questions cost a store and a node.",
      "Makes a store and a Cassandra node with many tables and asks their beans, over JMX on",
      "loopback, what the console asks once a second: the snapshot, and the map of a table that is",
      "looked at. Cassandra's are all in level 0 and overlap, so each is a run; the store's lie as",
      "split-forest leaves them."
    },
    footer = {
      "",
      "Example: java -jar coppice-bench.jar sight --tables=5000",
      "Exit codes: 0 done, 2 wrong usage, 4 a node did not do its work, 5 this machine lacks",
      "something."
    })
public final class SightCommand implements Callable<Integer> {

  private static final int MOST_TABLES = 20_000;
  private static final int MOST_TIMES = 10_000;

  @Spec private CommandSpec spec;

  @Option(
      names = "--tables",
      paramLabel = "N",
      defaultValue = "5000",
      description = "Of each, 1 to 20000; default ${DEFAULT-VALUE}.")
  private int tables;

  @Option(
      names = "--times",
      paramLabel = "N",
      defaultValue = "200",
      description =
          "Questions that count, 1 to 10000, after as many that do not; default"
              + " ${DEFAULT-VALUE}.")
  private int times;

  @Option(
      names = "--hosts",
      paramLabel = "HOST,...",
      split = ",",
      defaultValue = "store,cassandra",
      description = "Of store and cassandra; default ${DEFAULT-VALUE}.")
  private List<String> hosts;

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
      err.println("Nothing was started. See: java -jar coppice-bench.jar sight --help");
      return ExitCode.USAGE;
    }
    out.println(Machine.now().line());
    out.println();
    out.println(
        "process                     call       median ms  most ms  processor ms  answer kB");
    Path directory = Path.of("target", "bench", "sight").toAbsolutePath();
    try {
      for (String host : hosts) {
        try (Watched watched =
            host.equals("store")
                ? WatchedStore.with(tables, directory.resolve("store"))
                : WatchedNode.with(tables, directory, Optional.ofNullable(javaHome))) {
          for (String operation : List.of("snapshot", "tableMap")) {
            print(out, watched, Look.at(watched.beans(), watched.bean(), operation, times, times));
          }
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
    out.println(
        "processor: of the store's process both sides of the call, of Cassandra's the node's");
    return ExitCode.DONE;
  }

  private List<String> faults() {
    List<String> faults = new ArrayList<>();
    if (tables < 1 || tables > MOST_TABLES) {
      faults.add("--tables (" + tables + ") must be in 1.." + MOST_TABLES);
    }
    if (times < 1 || times > MOST_TIMES) {
      faults.add("--times (" + times + ") must be in 1.." + MOST_TIMES);
    }
    for (String host : hosts) {
      if (!host.equals("store") && !host.equals("cassandra")) {
        faults.add("--hosts (" + host + ") must be store or cassandra");
      }
    }
    return faults;
  }

  private static void print(PrintWriter out, Watched watched, Look look) {
    out.printf(
        Locale.ROOT,
        "%-27s %-9s  %9.1f  %7.1f  %12.1f  %9.0f%n",
        watched.name(),
        look.operation(),
        look.medianMillis(),
        look.mostMillis(),
        look.processorMillis(),
        look.bytes() / 1e3);
    out.flush();
  }
}
