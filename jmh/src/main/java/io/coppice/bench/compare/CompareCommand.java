// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.bench.compare;

import io.coppice.bench.compare.report.CompareOptions;
import io.coppice.bench.suite.BenchmarkCommand;
import io.coppice.bench.suite.OptionReader;
import java.nio.file.Path;
import java.util.List;
import picocli.CommandLine.Command;

/** The command {@code compare}: compares compaction strategies in a real Cassandra. */
@Command(name = "compare")
public final class CompareCommand extends BenchmarkCommand {

  @Override
  protected int run(OptionReader reader) throws Exception {
    List<String> names = unknown.stream().map(name -> name.replaceFirst("=.*", "")).toList();
    CompareOptions options = CompareOptions.parse(reader(names));
    return new Comparison(options, Path.of("target", "compare"), out(), err()).run();
  }
}
