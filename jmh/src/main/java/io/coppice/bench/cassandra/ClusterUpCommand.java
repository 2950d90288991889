// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.bench.cassandra;

import io.coppice.bench.suite.BenchmarkCommand;
import io.coppice.bench.suite.OptionReader;
import picocli.CommandLine.Command;

/** The command {@code cluster up}, which starts a cluster and keeps it running. */
@Command(name = "up")
final class ClusterUpCommand extends BenchmarkCommand {

  @Override
  protected int run(OptionReader reader) throws Exception {
    return new ClusterUp(ClusterOptions.parse(reader), out(), err()).run();
  }
}
