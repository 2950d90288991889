// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.bench.cassandra;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.util.List;

/**
 * Three ports on loopback that were free a moment ago.
 *
 * @param cql port for clients
 * @param storage port between nodes
 * @param jmx port for JMX
 */
public record NodePorts(int cql, int storage, int jmx) {

  private static final int PORTS_TO_TRY = 1000;

  /**
   * Returns three different ports that are free now; another process may take them.
   *
   * @throws IOException if the system has no free port
   */
  static NodePorts free() throws IOException {
    InetAddress loopback = InetAddress.getLoopbackAddress();
    try (ServerSocket cql = new ServerSocket(0, 1, loopback);
        ServerSocket storage = new ServerSocket(0, 1, loopback);
        ServerSocket jmx = new ServerSocket(0, 1, loopback)) {
      return new NodePorts(cql.getLocalPort(), storage.getLocalPort(), jmx.getLocalPort());
    }
  }

  /**
   * Returns whether a port is free on all of these addresses.
   *
   * @throws IOException if an address is not this machine's
   */
  static boolean isFree(int port, List<String> addresses) throws IOException {
    for (String address : addresses) {
      InetAddress local = InetAddress.getByName(address);
      new ServerSocket(0, 1, local).close();
      try {
        new ServerSocket(port, 1, local).close();
      } catch (IOException e) {
        return false;
      }
    }
    return true;
  }

  /**
   * Returns the first port, from the given one on, that is free on all of these addresses.
   *
   * @throws IOException if no such port exists, or an address belongs to another machine
   */
  static int firstFree(int from, List<String> addresses) throws IOException {
    for (int port = from; port < from + PORTS_TO_TRY; port++) {
      if (isFree(port, addresses)) {
        return port;
      }
    }
    throw new IOException(
        "no port from %d to %d is free on %s"
            .formatted(from, from + PORTS_TO_TRY - 1, String.join(", ", addresses)));
  }
}
