// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.bench.consolecost;

import java.io.Closeable;
import java.io.IOException;
import javax.management.MBeanServerConnection;
import javax.management.ObjectName;

/**
 * A process with one bean of Coppice that reports many tables.
 *
 * @param name displayed name
 * @param beans connection that carries answers over a socket
 * @param end ends what was started and removes its files
 */
record BeanTarget(String name, MBeanServerConnection beans, ObjectName bean, Closeable end)
    implements AutoCloseable {

  @Override
  public void close() throws IOException {
    end.close();
  }
}
