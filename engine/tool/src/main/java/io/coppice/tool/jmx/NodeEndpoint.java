// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.tool.jmx;

import io.coppice.tool.cli.CommandOptions;
import io.coppice.tool.console.watch.Endpoint;
import java.io.IOException;
import java.util.List;
import javax.management.MBeanServerConnection;

/** A process with JMX, as an endpoint of the console and {@code top}. Used by one thread. */
public final class NodeEndpoint implements Endpoint {

  private final NodeAddress address;
  private final JmxLogin login;
  private JmxNode connected;

  public NodeEndpoint(NodeAddress address, JmxLogin login) {
    this.address = address;
    this.login = login;
  }

  /**
   * Reads the processes that {@code --jmx} names, in the typed order, and their credentials,
   * without a connection. See {@link JmxOption#list} and {@link JmxLogin#read} for the faults.
   */
  public static List<Endpoint> read(CommandOptions options) {
    List<NodeAddress> addresses = JmxOption.list(options);
    JmxLogin login = JmxLogin.read(options);
    return addresses.stream().<Endpoint>map(address -> new NodeEndpoint(address, login)).toList();
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
