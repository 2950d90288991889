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

  @Override
  protected int run(Map<String, String> given, List<String> unknown) throws Exception {
    List<String> names = unknown.stream().map(name -> name.replaceFirst("=.*", "")).toList();
    OptionReader reader = reader(given, names);
    return new Comparison(CompareOptions.parse(reader), Path.of("target", "compare"), out(), err())
        .run();
  }
}
