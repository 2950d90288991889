// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.bench.cost;

import java.io.Closeable;
import java.io.IOException;
import javax.management.MBeanServerConnection;
import javax.management.ObjectName;

/**
 * A process with a Coppice bean that reports many tables.
 *
 * @param name name of the process in the result table
 * @param beans connection to the beans of the process
 * @param bean name of the bean
 * @param end ends the process and removes its data; called by {@link #close}
 */
record BeanTarget(String name, MBeanServerConnection beans, ObjectName bean, Closeable end)
    implements AutoCloseable {

  @Override
  public void close() throws IOException {
    end.close();
  }
}
