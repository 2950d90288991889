// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.bench.compare;

import io.coppice.base.InvalidOptionsException;
import io.coppice.bench.ExitCode;
import io.coppice.bench.ProgressOption;
import io.coppice.bench.cassandra.EnvironmentException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;
import picocli.CommandLine.Unmatched;

/** The command {@code compare}: strategies side by side in a real Cassandra. */
@Command(
    name = "compare",
    mixinStandardHelpOptions = true,
    description = {
      "Compares compaction strategies, each in a real Cassandra node, on the same rows.",
      "Starts a real Cassandra node for each compaction strategy, writes the same rows by CQL, reads,",
      "runs a major compaction, checks every answer, and prints one table. Files go to target/compare",
      "under the current directory. With Maven: mvn -q -Pcompare [-Dscale=...] and so on."
    },
    footer = {
      "",
      "Exit codes: 0 done (the last line says if a goal is missed), 2 wrong usage, 3 rows differ,",
      "4 incomplete or not valid,",
      "5 this machine lacks something (JDK 17, memory, disk), 130 interrupted."
    })
public final class CompareCommand implements Callable<Integer> {

  @Spec private CommandSpec spec;

  @Option(
      names = "--scale",
      paramLabel = "NAME",
      description = {
        "tiny, first (the default), small or large: with the default strategies about 3, 4, 10",
        "minutes and hours on two idle cores."
      })
  private String scale;

  @Option(
      names = "--strategies",
      paramLabel = "ID,...",
      description = {
        "first (the default: stcs, lcs, ucs-t4, split-forest, split-forest-8, lazy-binomial), all, or",
        "some of these and stcs-8, ucs-t8, ucs-l10, grouped, delayed."
      })
  private String strategies;

  @Option(
      names = "--repeats",
      paramLabel = "N",
      description = "Runs of each strategy, each on a fresh node; default 1.")
  private String repeats;

  @Option(names = "--seed", paramLabel = "N", description = "Decides every row; default 42.")
  private String seed;

  @Option(
      names = "--keep",
      arity = "0..1",
      fallbackValue = "true",
      paramLabel = "true|false",
      description = "Leave each node's data and logs where they are.")
  private String keep;

  @Option(
      names = "--majors-only",
      arity = "0..1",
      fallbackValue = "true",
      paramLabel = "true|false",
      description = "Load, run the major compaction and check; no other reads, no restart.")
  private String majorsOnly;

  @Option(
      names = "--java-home",
      paramLabel = "DIR",
      description = "A JDK 17 for the node; default: the running one, else a Maven toolchain.")
  private String javaHome;

  @Option(
      names = "--flushes",
      paramLabel = "N",
      description = "Flushes instead of the scale's; under 40 is too small to judge.")
  private String flushes;

  @Mixin private ProgressOption progress = new ProgressOption();

  @Unmatched private List<String> unknown = new ArrayList<>();

  @Override
  public Integer call() throws Exception {
    PrintWriter out = spec.commandLine().getOut();
    PrintWriter err = spec.commandLine().getErr();
    try {
      return new Comparison(options(), Path.of("target", "compare"), out, err).run();
    } catch (InvalidOptionsException e) {
      e.errors().forEach(err::println);
      err.println("Nothing was started. See: java -jar coppice-bench.jar compare --help");
      return ExitCode.USAGE;
    } catch (EnvironmentException e) {
      err.println(e.getMessage());
      err.println("Nothing was started.");
      return ExitCode.ENVIRONMENT;
    }
  }

  private CompareOptions options() {
    Map<String, String> text = new TreeMap<>();
    put(text, "scale", scale);
    put(text, "strategies", strategies);
    put(text, "repeats", repeats);
    put(text, "seed", seed);
    put(text, "keep", keep);
    put(text, "majors-only", majorsOnly);
    put(text, "java-home", javaHome);
    put(text, "flushes", flushes);
    put(text, "progress", progress.how());
    return CompareOptions.parse(text, unknown);
  }

  private static void put(Map<String, String> text, String name, String value) {
    if (value != null) {
      text.put(name, value);
    }
  }
}
