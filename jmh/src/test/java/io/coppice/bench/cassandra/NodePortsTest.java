// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.bench.cassandra;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

class NodePortsTest {

  private static final List<String> LOOPBACK = List.of("127.0.0.1");

  @Test
  void aLoneNodeGetsThreePortsOfItsOwn() throws IOException {
    NodePorts ports = NodePorts.free();
    assertThat(Set.of(ports.cql(), ports.storage(), ports.jmx())).hasSize(3);
  }

  @Test
  void anOccupiedPortIsAvoided() throws IOException {
    try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getByName("127.0.0.1"))) {
      int port = taken.getLocalPort();
      assertThat(NodePorts.isFree(port, LOOPBACK)).isFalse();
      assertThat(NodePorts.firstFree(port, LOOPBACK)).isGreaterThan(port);
      NodePorts ports = NodePorts.free();
      assertThat(List.of(ports.cql(), ports.storage(), ports.jmx())).doesNotContain(port);
    }
  }
}
