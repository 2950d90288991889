// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.bench.consolecost;

import javax.management.MBeanServerConnection;
import javax.management.ObjectName;

/** A process with one bean of Coppice that reports many tables. */
interface BeanTarget extends AutoCloseable {

  /** Returns the displayed name. */
  String name();

  /** Returns a connection that carries answers over a socket. */
  MBeanServerConnection beans();

  /** Returns the bean's object name. */
  ObjectName bean();

  @Override
  void close();
}
