// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.bench.compare;

import io.coppice.bench.compare.report.CompareOptions;
import io.coppice.bench.suite.BenchmarkCommand;
import io.coppice.bench.suite.OptionReader;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import picocli.CommandLine.Command;

/** The command {@code compare}: compares compaction strategies in a real Cassandra. */
@Command(name = "compare")
public final class CompareCommand extends BenchmarkCommand {

  @Override
  protected int run(Map<String, String> given, List<String> unknown) throws Exception {
    List<String> names = unknown.stream().map(name -> name.replaceFirst("=.*", "")).toList();
    OptionReader reader = reader(given, names);
    return new Comparison(CompareOptions.parse(reader), Path.of("target", "compare"), out(), err())
        .run();
  }
}
