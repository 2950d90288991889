// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.tool.jmx;

import java.util.Optional;

/**
 * The JMX address of a Cassandra node.
 *
 * @param host a name or an address; an IPv6 address without brackets
 * @param port the port of the RMI registry, 1..65535
 */
public record NodeAddress(String host, int port) {

  /** Cassandra's default JMX port. */
  static final int CASSANDRA_PORT = 7199;

  /**
   * Reads {@code host}, {@code host:port}, {@code [ipv6]} or {@code [ipv6]:port}; empty if
   * malformed.
   */
  public static Optional<NodeAddress> parse(String text) {
    String host = text.trim();
    String port = Integer.toString(CASSANDRA_PORT);
    int bracket = host.startsWith("[") ? host.indexOf(']') : -1;
    int colon = host.lastIndexOf(':');
    boolean bare = bracket < 0 && host.indexOf(':') != colon;
    if (colon > bracket && !bare) {
      port = host.substring(colon + 1);
      host = host.substring(0, colon);
    }
    if (bracket > 0) {
      host = host.substring(1, bracket);
    }
    if (host.isBlank() || !host.matches("[\\w.:%-]+") || !port.matches("\\d{1,5}")) {
      return Optional.empty();
    }
    int number = Integer.parseInt(port);
    return number >= 1 && number <= 0xFFFF
        ? Optional.of(new NodeAddress(host, number))
        : Optional.empty();
  }

  /** Returns {@code host:port} for JMX URLs and for users, with brackets around an IPv6 address. */
  @Override
  public String toString() {
    return (host.indexOf(':') < 0 ? host : "[" + host + "]") + ":" + port;
  }
}
