// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.tool.jmx;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class JmxNodeTest {

  private static final JmxLogin NO_LOGIN = new JmxLogin(Optional.empty(), Optional.empty(), false);

  /** The system accepts the connection, and nothing ever reads from it. */
  @Test
  void aNodeThatAcceptsAndDoesNotAnswerCountsAsDownOnceItsTimeIsUp() throws Exception {
    try (ServerSocket silent = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      NodeAddress address = new NodeAddress("127.0.0.1", silent.getLocalPort());
      assertThatThrownBy(() -> JmxNode.connect(address, NO_LOGIN, 1000))
          .isInstanceOf(IOException.class)
          .hasMessageContaining(address + " does not answer JMX: no answer within 1 s");
      assertThatThrownBy(() -> JmxNode.connect(address, NO_LOGIN, 10))
          .hasMessageContaining(address + " does not answer JMX: no answer within 10 ms");
    }
  }

  /** A part of a host name has at most 63 characters, so no name server is asked. */
  @Test
  void aTimeOfZeroOrLessIsNoLimit() {
    NodeAddress unknown = new NodeAddress("a".repeat(64), 7199);
    for (long noLimit : new long[] {0, -1}) {
      assertThatThrownBy(() -> JmxNode.connect(unknown, NO_LOGIN, noLimit))
          .hasMessageContaining("unknown host");
    }
  }
}
