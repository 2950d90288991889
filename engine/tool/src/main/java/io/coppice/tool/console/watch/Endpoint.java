// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.tool.console.watch;

import java.io.IOException;
import javax.management.MBeanServerConnection;

/** A process to watch: a Cassandra node, or one with open stores. Used by one thread. */
public interface Endpoint extends AutoCloseable {

  /** Returns the name for users, such as {@code 10.0.0.1:7199}. */
  String name();

  /**
   * Opens a new connection, after closing the present one, and waits for it.
   *
   * @throws IOException if the process refuses or does not answer; the message is for users
   */
  MBeanServerConnection connect() throws IOException;

  /** Closes the connection. Idempotent. */
  @Override
  void close();
}
