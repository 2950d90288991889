// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.tool.node;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.coppice.tool.cli.CommandOptions;
import io.coppice.tool.cli.CommandOutput;
import io.coppice.tool.cli.ExitCode;
import io.coppice.tool.format.JsonLines;
import io.coppice.tool.jmx.JmxLogin;
import io.coppice.tool.jmx.JmxNode;
import io.coppice.tool.jmx.JmxOption;
import io.coppice.tool.jmx.NodeAddress;
import io.coppice.workload.TextTable;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.Callable;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import picocli.CommandLine;
import picocli.CommandLine.Command;

/**
 * The command {@code preflight}, which checks whether a statement may name Coppice strategies on a
 * cluster. Used by one thread.
 */
@Command(
    name = "preflight",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    customSynopsis = "coppice-tool preflight --jmx HOST[:PORT],... [OPTIONS]",
    header = "Checks that every node of a cluster has the plugin and can run it.",
    description = {
      "",
      "Run it before the first CREATE or ALTER that names a Coppice strategy: only the node that",
      "receives the statement validates it, and a node without the jar does not start again. Preflight",
      "changes nothing. Each node logs one line at level ERROR about an option that no strategy has.",
      ""
    },
    footer = {
      "",
      "Example: preflight --jmx 10.0.0.1,10.0.0.2,10.0.0.3",
      "Exit codes: 0 every node is ready, 1 one is not or does not answer, 2 wrong usage."
    })
public final class PreflightCommand implements Callable<Integer> {

  private static final String STRATEGY = "io.coppice.cassandra.SplitForestCompactionStrategy";

  /**
   * Compaction parameters with an option that no Coppice strategy has. Only a node that has the
   * class can report the option.
   */
  private static final String PROBE = "{\"class\":\"" + STRATEGY + "\",\"__preflight__\":\"1\"}";

  // A table of every node. A node checks all parameters before it applies any, so the probe changes
  // nothing.
  private static final String PROBED_KEYSPACE = "system";
  private static final String PROBED_TABLE = "local";

  private static final Pattern JAR =
      Pattern.compile("coppice-cassandra-(\\d+\\.\\d+)-([^:;/\\\\]+?)\\.jar");

  private static final Pattern ANSWER = Pattern.compile("\\bcoppice (\\d[\\w.+-]*)");

  private static final String NOT_READY =
      " Not ready: do not name a Coppice strategy in CREATE or ALTER yet.";

  private static final int NODE_JDK = 17;
  private static final String LINE = "5.0";
  private static final String UNKNOWN = "?";

  private static final List<CommandOptions.Help> HELP = new ArrayList<>();

  static {
    HELP.add(JmxOption.LIST);
    HELP.addAll(JmxLogin.HELP);
    HELP.add(CommandOptions.JSON);
  }

  private final CommandOutput streams;
  private final CommandLine commandLine;

  private PreflightCommand(CommandOutput streams) {
    this.streams = streams;
    commandLine = new CommandLine(this);
  }

  /** Returns the command, ready to be added to another. */
  public static CommandLine commandLine(CommandOutput streams) {
    PreflightCommand command = new PreflightCommand(streams);
    CommandOptions.declare(command.commandLine.getCommandSpec(), HELP);
    return command.commandLine;
  }

  /**
   * The answers of one node.
   *
   * @param hostId the same for two addresses of one node; the address if the node does not answer
   * @param jar the plugin's version; {@code present} for an unknown one, {@code absent}, {@code
   *     broken}, {@code not checked}, or a question mark for a node that is down
   * @param faults the reasons why the node cannot run Coppice strategies; empty if it can
   * @param schemas the schema versions that the node sees, each with its nodes
   */
  private record Finding(
      NodeAddress node,
      String hostId,
      String jar,
      String cassandra,
      String jdk,
      List<String> faults,
      Map<?, ?> schemas) {

    /**
     * Returns the number of nodes that this node knows, including itself and nodes that are down.
     */
    int known() {
      return schemas.values().stream().mapToInt(nodes -> ((Collection<?>) nodes).size()).sum();
    }
  }

  @Override
  public Integer call() {
    CommandOptions options = CommandOptions.of(commandLine);
    List<NodeAddress> nodes = JmxOption.list(options);
    JmxLogin login = JmxLogin.read(options);
    boolean json = options.flag(CommandOptions.JSON.name());
    options.complain();
    List<Finding> findings = new ArrayList<>();
    for (NodeAddress node : nodes) {
      findings.add(inspect(node, login));
    }
    return report(findings, json) ? ExitCode.DONE : ExitCode.FAILED;
  }

  private static Finding inspect(NodeAddress address, JmxLogin login) {
    List<String> faults = new ArrayList<>();
    try (JmxNode node = JmxNode.connect(address, login)) {
      int jdk = node.jdk();
      if (jdk < NODE_JDK) {
        faults.add(
            "runs on JDK "
                + jdk
                + ", and the plugin needs "
                + NODE_JDK
                + "; restart it on JDK "
                + NODE_JDK);
      }
      String cassandra = node.cassandra();
      if (!cassandra.equals(LINE) && !cassandra.matches("5\\.0[.-].*")) {
        faults.add("runs Cassandra " + cassandra + ", and the plugin is for " + LINE + ".x");
      }
      // A node of another Java or Cassandra cannot load the class. It is not asked, because its
      // failure would say little.
      String jar = faults.isEmpty() ? jar(node, faults) : named(node).orElse("not checked");
      return new Finding(
          address,
          node.hostId(),
          jar,
          cassandra,
          Integer.toString(jdk),
          faults,
          node.schemaVersions());
    } catch (IOException e) {
      faults.add(e.getMessage());
      return new Finding(address, address.toString(), UNKNOWN, UNKNOWN, UNKNOWN, faults, Map.of());
    }
  }

  private static String jar(JmxNode node, List<String> faults) throws IOException {
    String answer;
    try {
      node.setCompaction(PROBED_KEYSPACE, PROBED_TABLE, PROBE);
      throw new IOException(node.address() + " accepted an option that no strategy has");
    } catch (IllegalArgumentException e) {
      answer = String.valueOf(e.getMessage());
    }
    if (answer.contains("not understood")) {
      Matcher version = ANSWER.matcher(answer);
      return version.find() ? version.group(1) : named(node).orElse("present");
    }
    if (answer.contains("Unable to find")) {
      faults.add("has no plugin on its class path; install the jar and restart the node");
      return "absent";
    }
    faults.add("has a plugin that does not load: " + answer);
    return "broken";
  }

  /**
   * Returns the version in the name of the plugin's jar on a node's class path; empty if no jar has
   * such a name.
   */
  private static Optional<String> named(JmxNode node) throws IOException {
    Matcher name = JAR.matcher(node.classPath());
    return name.find() ? Optional.of(name.group(2)) : Optional.empty();
  }

  private boolean report(List<Finding> findings, boolean json) {
    List<List<String>> rows = new ArrayList<>();
    rows.add(List.of("node", "jar", "Cassandra", "JDK", "ready"));
    Set<String> jars = new TreeSet<>();
    Set<String> schemas = new TreeSet<>();
    List<String> faults = new ArrayList<>();
    for (Finding found : findings) {
      boolean ready = found.faults().isEmpty();
      rows.add(
          List.of(
              found.node().toString(),
              found.jar(),
              found.cassandra(),
              found.jdk(),
              ready ? "yes" : "NO"));
      if (ready) {
        jars.add(found.jar());
      }
      found.schemas().keySet().forEach(version -> schemas.add(version.toString()));
      found.faults().forEach(fault -> faults.add(named(found.node(), fault)));
    }
    if (jars.size() > 1) {
      faults.add("the nodes have different versions of the plugin: " + String.join(", ", jars));
    }
    // This entry lists the nodes that are down; they have no schema version.
    schemas.remove("UNREACHABLE");
    if (schemas.size() > 1) {
      faults.add(
          "the nodes do not agree on the schema ("
              + schemas.size()
              + " versions); wait, or run nodetool describecluster");
    }
    if (json) {
      print(findings, faults);
      return faults.isEmpty();
    }
    TextTable.indented(rows).forEach(streams.out()::println);
    streams.out().println();
    faults.forEach(fault -> streams.out().println(" " + fault));
    streams.out().println(faults.isEmpty() ? ready(findings) : NOT_READY);
    return faults.isEmpty();
  }

  private void print(List<Finding> findings, List<String> faults) {
    ObjectNode root = JsonLines.object();
    root.put("ready", faults.isEmpty());
    int known = known(findings);
    JsonLines.count(root, "known_nodes", known == 0 ? -1 : known);
    root.put("asked_nodes", asked(findings));
    ArrayNode nodes = root.putArray("nodes");
    for (Finding found : findings) {
      ArrayNode reasons =
          nodes
              .addObject()
              .put("node", found.node().toString())
              .put("jar", orNull(found.jar()))
              .put("cassandra", orNull(found.cassandra()))
              .put("jdk", orNull(found.jdk()))
              .put("ready", found.faults().isEmpty())
              .putArray("faults");
      found.faults().forEach(reasons::add);
    }
    ArrayNode all = root.putArray("faults");
    faults.forEach(all::add);
    JsonLines.print(root, streams.out());
  }

  private static String orNull(String answer) {
    return answer.equals(UNKNOWN) ? null : answer;
  }

  private static int known(List<Finding> findings) {
    return findings.stream().mapToInt(Finding::known).max().orElse(0);
  }

  private static long asked(List<Finding> findings) {
    return findings.stream().map(Finding::hostId).distinct().count();
  }

  /** Returns the fault with the node's name in front, unless it begins with that name already. */
  private static String named(NodeAddress node, String fault) {
    return fault.startsWith(node.toString()) ? fault : node + " " + fault;
  }

  private static String ready(List<Finding> findings) {
    int known = known(findings);
    long asked = asked(findings);
    return known <= asked
        ? " Every node checked is ready: CREATE and ALTER may name a Coppice strategy."
        : " Every node checked is ready. The cluster has "
            + known
            + " nodes, and "
            + asked
            + (asked == 1 ? " was" : " were")
            + " checked"
            + (asked < findings.size() ? ", some at several addresses" : "")
            + ": check the others before CREATE or ALTER names a Coppice strategy.";
  }
}
