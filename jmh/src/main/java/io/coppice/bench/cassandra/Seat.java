// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.bench.cassandra;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;

/**
 * Place of a node in a cluster: its addresses, tokens and seed.
 *
 * @param address own loopback address, such as 127.0.0.2
 * @param cql the port for clients, the same on every address and over restarts
 * @param storage the port between nodes, the same on every address and over restarts
 * @param seed address of the node that knows the others
 * @param tokens tokens that a new node owns; never empty
 * @param replaces whether it replaces a dead node of the same address and fetches the data of that
 *     node from the others; its directory must be empty then
 * @param properties further system properties of the node's JVM
 */
public record Seat(
    String address,
    int cql,
    int storage,
    String seed,
    List<Long> tokens,
    boolean replaces,
    Map<String, String> properties) {

  /** Gossip delay for nodes on one machine; Cassandra's default is 30 s. */
  private static final int RING_DELAY_MILLIS = 3000;

  /** Copies the list and the map. */
  public Seat {
    tokens = List.copyOf(tokens);
    properties = Map.copyOf(properties);
  }

  /** Returns the seat of a node without peers, which chooses its token. */
  static Seat alone(NodePorts ports) {
    String loopback = "127.0.0.1";
    return new Seat(loopback, ports.cql(), ports.storage(), loopback, List.of(), false, Map.of());
  }

  /** Returns this seat for a new node that replaces the dead node of the same address. */
  Seat replacing() {
    return new Seat(address, cql, storage, seed, tokens, true, properties);
  }

  /**
   * Returns the client and node ports of this seat with the JMX port of another set. The JMX port
   * may differ at each start.
   */
  NodePorts ports(NodePorts free) {
    return new NodePorts(cql, storage, free.jmx());
  }

  /**
   * Returns the tokens for the configuration file, separated by commas, in double quotes; empty if
   * the node chooses them or takes those of a dead node.
   */
  String tokenText() {
    return replaces || tokens.isEmpty()
        ? ""
        : tokens.stream().map(String::valueOf).collect(Collectors.joining(",", "\"", "\""));
  }

  List<String> jvmOptions() {
    Map<String, String> all = new TreeMap<>(properties);
    all.put("cassandra.ring_delay_ms", Integer.toString(RING_DELAY_MILLIS));
    if (replaces) {
      all.put("cassandra.replace_address_first_boot", address + ":" + storage);
    }
    List<String> options = new ArrayList<>();
    all.forEach((name, value) -> options.add("-D" + name + "=" + value));
    return options;
  }
}
