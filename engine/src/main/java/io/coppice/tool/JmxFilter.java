// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.tool;

import java.io.ObjectInputFilter;

/**
 * What nodes may answer over JMX: values of the JDK, of which open data and management's own
 * records are made, and the failures of a login. Everything else is refused before it is read, so
 * that a node that somebody has taken over cannot make this process load classes of its choice.
 */
final class JmxFilter {

  static final ObjectInputFilter FILTER =
      ObjectInputFilter.Config.createFilter(
          "maxdepth=64;maxarray=20000000;java.lang.**;java.util.**;java.math.*;java.io.*;java.net.*;"
              + "java.rmi.**;java.security.*;javax.management.**;javax.rmi.ssl.*;"
              + "javax.security.auth.login.*;sun.rmi.**;com.sun.jmx.**;com.sun.jndi.rmi.**;!*");

  private JmxFilter() {}

  /** Puts it in force for this process, once. */
  static void install() {
    ObjectInputFilter.Config.setSerialFilter(FILTER);
  }
}
