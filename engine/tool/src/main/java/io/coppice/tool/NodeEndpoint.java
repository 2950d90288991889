// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.tool;

import io.coppice.tool.console.Endpoint;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import javax.management.MBeanServerConnection;

/** A process with JMX, as an endpoint of the console and {@code top}. */
final class NodeEndpoint implements Endpoint {

  /** The option that names the processes, read by {@link #read}. */
  static final CommandOptions.Help HELP =
      new CommandOptions.Help(
          "--jmx",
          "HOST[:PORT],...",
          "Where to look; port " + NodeAddress.CASSANDRA_PORT + " unless given.");

  private final NodeAddress address;
  private final JmxLogin login;
  private JmxNode connected;

  NodeEndpoint(NodeAddress address, JmxLogin login) {
    this.address = address;
    this.login = login;
  }

  /** Reads the processes that {@code --jmx} names, and their credentials. */
  static List<Endpoint> read(CommandOptions options) {
    List<Endpoint> endpoints = new ArrayList<>();
    Optional<String> text = options.text("--jmx");
    if (text.isEmpty()) {
      options.fault("--jmx is missing; write --jmx=HOST:PORT");
    }
    JmxLogin login = JmxLogin.read(options);
    String[] words = text.map(list -> list.split(",")).orElse(new String[0]);
    if (text.isPresent() && words.length == 0) {
      options.fault("--jmx (" + text.get() + ") names no process");
    }
    for (String word : words) {
      Optional<NodeAddress> address = NodeAddress.parse(word);
      if (address.isEmpty()) {
        options.fault("--jmx (" + word + ") must be HOST or HOST:PORT");
      } else {
        endpoints.add(new NodeEndpoint(address.get(), login));
      }
    }
    if (endpoints.stream().map(Endpoint::name).distinct().count() < endpoints.size()) {
      options.fault("--jmx names a process twice");
    }
    return endpoints;
  }

  @Override
  public String name() {
    return address.toString();
  }

  @Override
  public MBeanServerConnection connect() throws IOException {
    close();
    connected = JmxNode.connect(address, login);
    return connected.connection();
  }

  @Override
  public void close() {
    if (connected != null) {
      connected.close();
      connected = null;
    }
  }
}
