// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.bench.consolecost;

import java.io.Closeable;
import java.io.IOException;
import javax.management.MBeanServerConnection;
import javax.management.ObjectName;

/** A process with a Coppice bean that reports many tables. */
record BeanTarget(String name, MBeanServerConnection beans, ObjectName bean, Closeable end)
    implements AutoCloseable {

  @Override
  public void close() throws IOException {
    end.close();
  }
}
