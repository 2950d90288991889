// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.bench.compare;

import io.coppice.bench.suite.BenchmarkCommand;
import io.coppice.bench.suite.OptionReader;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import picocli.CommandLine.Command;

/** The command {@code compare}: strategies side by side in a real Cassandra. */
@Command(
    name = "compare",
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
public final class CompareCommand extends BenchmarkCommand {

  private static final String OPTIONS =
      """
      --scale NAME
        tiny, first (the default), small or large: with the default strategies about 3, 4, 10
        minutes and hours on two idle cores.
      --strategies ID,...
        first (the default: stcs, lcs, ucs-t4, split-forest, split-forest-8, lazy-binomial), all, or
        some of these and stcs-8, ucs-t8, ucs-l10, grouped, delayed.
      --repeats N
        Runs of each strategy, each on a fresh node; default 1.
      --seed N
        Decides every row; default 42.
      --keep? true|false
        Leave each node's data and logs where they are.
      --majors-only? true|false
        Load, run the major compaction and check; no other reads, no restart.
      --java-home DIR
        A JDK 17 for the node; default: the running one, else a Maven toolchain.
      --flushes N
        Flushes instead of the scale's; under 40 is too small to judge.
      --progress HOW
        bar, plain (a line every 10 s), or auto: a bar on a terminal only.
      """;

  @Override
  protected String options() {
    return OPTIONS;
  }

  @Override
  protected int run(Map<String, String> given, List<String> unknown) throws Exception {
    List<String> names = unknown.stream().map(name -> name.replaceFirst("=.*", "")).toList();
    OptionReader reader = reader(given, names);
    return new Comparison(CompareOptions.parse(reader), Path.of("target", "compare"), out(), err())
        .run();
  }
}
