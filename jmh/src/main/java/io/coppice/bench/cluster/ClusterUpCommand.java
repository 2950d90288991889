// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.bench.cluster;

import io.coppice.bench.suite.BenchmarkCommand;
import java.util.List;
import java.util.Map;
import picocli.CommandLine.Command;

/** The command {@code cluster up}, which starts a cluster and keeps it running. */
@Command(
    name = "up",
    description = {
      "Starts real Cassandra nodes on 127.0.0.1, 127.0.0.2 and so on.",
      "Starts an unmodified Cassandra on 127.0.0.1, 127.0.0.2 and so on, one node after the other,",
      "each in a process of its own, with the plugin on its class path and settings for little",
      "memory. Prints where to connect, and stays; Ctrl-C ends all nodes and removes their files."
    },
    footer = {
      "",
      "Example: java -jar coppice-bench.jar cluster up --nodes=3 --without-jar=2",
      "Exit codes: 2 wrong usage, 4 a node did not start or all have ended, 5 this machine lacks",
      "something (JDK 17, memory, an address, an empty directory), 130 interrupted."
    })
final class ClusterUpCommand extends BenchmarkCommand {

  @Override
  protected int run(Map<String, String> given, List<String> unknown) throws Exception {
    return new ClusterUp(ClusterOptions.parse(reader(given, unknown)), out(), err()).run();
  }
}
