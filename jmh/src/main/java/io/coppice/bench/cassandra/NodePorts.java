// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.bench.cassandra;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;

/** Three ports on loopback that were free a moment ago: CQL, node to node, JMX. */
public record NodePorts(int cql, int storage, int jmx) {

  static NodePorts free() throws IOException {
    InetAddress loopback = InetAddress.getLoopbackAddress();
    try (ServerSocket cql = new ServerSocket(0, 1, loopback);
        ServerSocket storage = new ServerSocket(0, 1, loopback);
        ServerSocket jmx = new ServerSocket(0, 1, loopback)) {
      return new NodePorts(cql.getLocalPort(), storage.getLocalPort(), jmx.getLocalPort());
    }
  }
}
