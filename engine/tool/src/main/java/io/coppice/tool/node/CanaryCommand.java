// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.tool.node;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.json.JsonReadFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.coppice.tool.cli.CommandOptions;
import io.coppice.tool.cli.CommandOutput;
import io.coppice.tool.cli.ExitCode;
import io.coppice.tool.jmx.JmxLogin;
import io.coppice.tool.jmx.JmxNode;
import io.coppice.tool.jmx.JmxOption;
import io.coppice.tool.jmx.NodeAddress;
import java.io.IOException;
import java.rmi.RemoteException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine;
import picocli.CommandLine.Command;

/**
 * The command {@code canary}, which gives one table on one node another strategy and reverts it.
 *
 * <p>Used by one thread.
 */
@Command(
    name = "canary",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    customSynopsis = {
      "coppice-tool canary --jmx HOST[:PORT] KEYSPACE.TABLE \"{'class': ...}\" [OPTIONS]",
      "coppice-tool canary --jmx HOST[:PORT] KEYSPACE.TABLE --revert [OPTIONS]",
      "coppice-tool canary --jmx HOST[:PORT] KEYSPACE.TABLE [OPTIONS]"
    },
    header = "Changes the compaction strategy of one table on one node, and reverts it.",
    description = {
      "",
      "The schema and other nodes stay unchanged, and a restart of the node reverts the change. Write",
      "options as in ALTER TABLE or as JSON. Without options and --revert it prints the current ones.",
      ""
    },
    footer = {
      "",
      "Example: canary --jmx 10.0.0.1 ks.t \"{'class':"
          + " 'io.coppice.cassandra.SplitForestCompactionStrategy'}\"",
      "Exit codes: 0 done, 1 refused (the old strategy stays) or failed, 2 wrong usage."
    })
public final class CanaryCommand implements Callable<Integer> {

  private static final String OUR_PACKAGE = "io.coppice.cassandra.";
  private static final String THEIR_PACKAGE = "org.apache.cassandra.db.compaction.";

  private static final List<CommandOptions.Help> HELP = new ArrayList<>();

  static {
    HELP.add(JmxOption.ONE);
    HELP.add(new CommandOptions.Help("--revert", "", "Restore the strategy of the schema."));
    HELP.addAll(JmxLogin.HELP);
  }

  private static final ObjectMapper JSON =
      JsonMapper.builder().enable(JsonReadFeature.ALLOW_SINGLE_QUOTES).build();

  private final CommandOutput streams;
  private final CommandLine commandLine;

  private CanaryCommand(CommandOutput streams) {
    this.streams = streams;
    commandLine = new CommandLine(this);
  }

  /** Returns the command, ready to be added to another. */
  public static CommandLine commandLine(CommandOutput streams) {
    CanaryCommand command = new CanaryCommand(streams);
    CommandOptions.declare(command.commandLine.getCommandSpec(), HELP);
    CommandOptions.declarePlaces(command.commandLine.getCommandSpec());
    return command.commandLine;
  }

  @Override
  public Integer call() throws IOException {
    CommandOptions options = CommandOptions.of(commandLine);
    Optional<NodeAddress> node = JmxOption.one(options);
    JmxLogin login = JmxLogin.read(options);
    List<String> places = options.places();
    String table = places.isEmpty() ? "" : places.get(0);
    if (!table.matches("\\w+\\.\\w+")) {
      options.fault(
          table.isEmpty() ? "KEYSPACE.TABLE is missing" : "'" + table + "' must be KEYSPACE.TABLE");
    }
    boolean revert = options.flag("--revert");
    Optional<ObjectNode> wanted =
        places.size() > 1 ? parameters(places.get(1), options) : Optional.empty();
    if (revert && places.size() > 1) {
      options.fault("--revert takes no options of a strategy; give one of the two");
    }
    for (String extra : places.subList(Math.min(2, places.size()), places.size())) {
      options.fault("'" + extra + "' is one argument too many; put quotes around the options");
    }
    options.complain();
    String[] names = table.split("\\.");
    try (JmxNode connected = JmxNode.connect(node.orElseThrow(), login)) {
      Canary canary = new Canary(connected, names[0], names[1]);
      if (revert) {
        return revert(canary);
      }
      if (wanted.isPresent()) {
        return apply(canary, wanted.get());
      }
      streams.out().println(canary + ": " + canary.present());
      return ExitCode.DONE;
    } catch (IllegalArgumentException e) {
      streams.err().println(e.getMessage());
      streams.err().println("Nothing was changed.");
      return ExitCode.FAILED;
    }
  }

  /**
   * Returns the option text as compaction parameters: a map of strings to strings that contains a
   * class. A short class name of Coppice or Cassandra is completed. Another text is a fault, and
   * the result is empty.
   */
  private static Optional<ObjectNode> parameters(String text, CommandOptions options) {
    try {
      if (JSON.readTree(text) instanceof ObjectNode map && map.path("class").isTextual()) {
        ObjectNode strings = JSON.createObjectNode();
        for (Map.Entry<String, JsonNode> entry : map.properties()) {
          strings.put(entry.getKey(), entry.getValue().asText());
        }
        String name = map.get("class").asText();
        if (!name.contains(".")) {
          strings.put("class", (isOurs(name) ? OUR_PACKAGE : THEIR_PACKAGE) + name);
        }
        return Optional.of(strings);
      }
    } catch (JsonProcessingException e) {
      // Falls through to the fault below.
    }
    options.fault(
        "the options ("
            + text
            + ") must be a map with a class, such as {'class': 'SplitForestCompactionStrategy'}");
    return Optional.empty();
  }

  private static boolean isOurs(String name) {
    return !name.matches("(SizeTiered|Leveled|TimeWindow|Unified)CompactionStrategy");
  }

  private int apply(Canary canary, ObjectNode wanted) throws IOException {
    String before = canary.present();
    String now = canary.set(wanted.toString());
    streams.out().println(canary + " before: " + before);
    streams.out().println(canary + " now:    " + now);
    streams.out().println();
    streams
        .out()
        .println(
            "Only this node changed. The schema is unchanged, and a restart reverts the change.");
    streams
        .out()
        .println("Watch pending compactions, read latency and free disk during one full merge.");
    streams.out().println("To revert, run the command with --revert instead of the options.");
    return ExitCode.DONE;
  }

  private int revert(Canary canary) throws IOException {
    Optional<String> schema = canary.schema();
    if (schema.isEmpty()) {
      throw new IllegalArgumentException(
          canary
              + " has no strategy of Coppice on this node ("
              + canary.present()
              + "); to set another one, give its options instead of --revert");
    }
    String before = canary.present();
    String now = canary.set(schema.get());
    streams.out().println(canary + " before: " + before);
    streams.out().println(canary + " now:    " + now + ", the strategy of the schema");
    return ExitCode.DONE;
  }

  /** One table on one node. */
  private record Canary(JmxNode node, String keyspace, String table) {

    String present() throws IOException {
      return node.compaction(keyspace, table);
    }

    /**
     * Sets the compaction parameters on the node and returns those active afterwards, as JSON.
     *
     * @throws IllegalArgumentException if the node refuses and keeps the old ones
     * @throws IOException if no answer came; the change may have taken effect
     */
    String set(String json) throws IOException {
      try {
        node.setCompaction(keyspace, table, json);
        return present();
      } catch (RemoteException e) {
        throw new IOException(
            this
                + ": "
                + JmxNode.plain(e)
                + "; the node may have applied the change: run the command without options and"
                + " --revert to print the current ones",
            e);
      }
    }

    /**
     * Returns the schema's parameters. Only the bean of a Coppice strategy reports them, so the
     * result is empty while another strategy is active.
     */
    Optional<String> schema() throws IOException {
      String bean = "io.coppice:type=Strategy,keyspace=" + keyspace + ",table=" + table;
      return node.has(bean)
          ? Optional.of(node.get(bean, "Configuration").toString())
          : Optional.empty();
    }

    @Override
    public String toString() {
      return keyspace + "." + table + " on " + node.address();
    }
  }
}
