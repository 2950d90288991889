// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.tool.console;

import java.io.IOException;
import javax.management.MBeanServerConnection;

/** A process to look at: a Cassandra node, or one that has stores open. Used by one thread. */
public interface Endpoint extends AutoCloseable {

  /** What people call it, such as {@code 10.0.0.1:7199}. */
  String name();

  /**
   * Connects anew; a connection that there is already is given up.
   *
   * @throws IOException in words for people
   */
  MBeanServerConnection connect() throws IOException;

  /** Gives up the connection. Idempotent. */
  @Override
  void close();
}
