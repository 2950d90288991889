// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.bench.sight;

import javax.management.MBeanServerConnection;
import javax.management.ObjectName;

/** A process with one bean of ours that has many tables to tell of. */
interface BeanTarget extends AutoCloseable {

  /** What people call it. */
  String name();

  /** A connection that carries answers over a socket. */
  MBeanServerConnection beans();

  /** The bean. */
  ObjectName bean();

  @Override
  void close();
}
