// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.bench.cassandra;

import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** The command {@code cluster}, which has a verb. */
@Command(
    name = "cluster",
    mixinStandardHelpOptions = true,
    description = "Starts real Cassandra nodes with the plugin on this machine.",
    subcommands = ClusterUpCommand.class)
public final class ClusterCommand implements Runnable {

  @Spec private CommandSpec spec;

  /** Reports wrong usage, because the command needs a verb. */
  @Override
  public void run() {
    throw new ParameterException(spec.commandLine(), "Name what to do: cluster up");
  }
}
