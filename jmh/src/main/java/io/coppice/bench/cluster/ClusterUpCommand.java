// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.bench.cluster;

import io.coppice.base.InvalidOptionsException;
import io.coppice.bench.ExitCode;
import io.coppice.bench.cassandra.EnvironmentException;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;
import picocli.CommandLine.Unmatched;

/** The command {@code cluster up}. */
@Command(
    name = "up",
    mixinStandardHelpOptions = true,
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
final class ClusterUpCommand implements Callable<Integer> {

  @Spec private CommandSpec spec;

  @Option(names = "--nodes", paramLabel = "N", description = "How many, 1 to 9; default 3.")
  private String nodes;

  @Option(
      names = "--dir",
      paramLabel = "DIR",
      description = "For data, logs and jars; made, or empty; default target/cluster.")
  private String dir;

  @Option(
      names = "--heap",
      paramLabel = "MIB",
      description = "Of each node; default 320. A node takes some 400 besides.")
  private String heap;

  @Option(
      names = "--without-jar",
      paramLabel = "N,...",
      description = "Nodes, by number from 1, that lack the plugin's jar.")
  private String withoutJar;

  @Option(
      names = "--cql-port",
      paramLabel = "PORT",
      description = "For clients, on every address; the next free one from here; default 9042.")
  private String cqlPort;

  @Option(names = "--keep", description = "Leave the files where they are.")
  private boolean keep;

  @Option(
      names = "--java-home",
      paramLabel = "DIR",
      description = "A JDK 17 for the nodes; default: the running one, else a Maven toolchain.")
  private String javaHome;

  @Unmatched private List<String> unknown = new ArrayList<>();

  @Override
  public Integer call() throws Exception {
    PrintWriter out = spec.commandLine().getOut();
    PrintWriter err = spec.commandLine().getErr();
    try {
      return new ClusterUp(ClusterOptions.parse(given(), unknown), out, err).run();
    } catch (InvalidOptionsException e) {
      e.errors().forEach(err::println);
      err.println("Nothing was started. See: java -jar coppice-bench.jar cluster up --help");
      return ExitCode.USAGE;
    } catch (EnvironmentException e) {
      err.println(e.getMessage());
      err.println("Nothing was started.");
      return ExitCode.ENVIRONMENT;
    }
  }

  private Map<String, String> given() {
    Map<String, String> given = new TreeMap<>();
    put(given, "nodes", nodes);
    put(given, "dir", dir);
    put(given, "heap", heap);
    put(given, "without-jar", withoutJar);
    put(given, "cql-port", cqlPort);
    put(given, "java-home", javaHome);
    put(given, "keep", Boolean.toString(keep));
    return given;
  }

  private static void put(Map<String, String> given, String name, String value) {
    if (value != null) {
      given.put(name, value);
    }
  }
}
