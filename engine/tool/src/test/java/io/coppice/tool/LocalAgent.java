// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.tool;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.rmi.registry.LocateRegistry;
import java.rmi.registry.Registry;
import java.rmi.server.UnicastRemoteObject;
import java.util.Map;
import javax.management.MBeanServer;
import javax.management.remote.JMXConnectorServer;
import javax.management.remote.JMXConnectorServerFactory;
import javax.management.remote.JMXServiceURL;

/**
 * A JMX agent on loopback, at a port that the system chooses as the agent binds it, so that no
 * other process can take it first.
 */
public final class LocalAgent implements AutoCloseable {

  private static final String HOST = "127.0.0.1";

  private final Registry registry;
  private final JMXConnectorServer agent;
  private ServerSocket socket;

  public LocalAgent(MBeanServer beans) throws IOException {
    System.setProperty("java.rmi.server.hostname", HOST);
    registry = LocateRegistry.createRegistry(0, null, this::bind);
    JMXServiceURL url = new JMXServiceURL("service:jmx:rmi:///jndi/rmi://" + host() + "/jmxrmi");
    agent = JMXConnectorServerFactory.newJMXConnectorServer(url, Map.of(), beans);
    agent.start();
  }

  private ServerSocket bind(int port) throws IOException {
    socket = new ServerSocket(port, 0, InetAddress.getLoopbackAddress());
    return socket;
  }

  /** Returns the address as {@code --jmx} takes it. */
  public String host() {
    return HOST + ":" + socket.getLocalPort();
  }

  @Override
  public void close() throws IOException {
    agent.stop();
    UnicastRemoteObject.unexportObject(registry, true);
    // RMI leaves a socket open whose port the system has chosen.
    socket.close();
  }
}
