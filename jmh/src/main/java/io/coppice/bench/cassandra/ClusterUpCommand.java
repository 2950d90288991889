// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.bench.cassandra;

import io.coppice.bench.suite.BenchmarkCommand;
import java.util.List;
import java.util.Map;
import picocli.CommandLine.Command;

/** The command {@code cluster up}, which starts a cluster and keeps it running. */
@Command(name = "up")
final class ClusterUpCommand extends BenchmarkCommand {

  @Override
  protected int run(Map<String, String> given, List<String> unknown) throws Exception {
    return new ClusterUp(ClusterOptions.parse(reader(given, unknown)), out(), err()).run();
  }
}
