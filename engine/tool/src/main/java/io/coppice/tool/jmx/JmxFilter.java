// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.tool.jmx;

import java.io.ObjectInputFilter;

/**
 * A deserialization filter for JMX answers. It admits values of the JDK, which open data and the
 * JDK's management records consist of, and login failures. It refuses everything else before it is
 * read, so that a compromised node cannot make this process load classes of its choice.
 */
public final class JmxFilter {

  public static final ObjectInputFilter FILTER =
      ObjectInputFilter.Config.createFilter(
          "maxdepth=64;maxarray=20000000;java.lang.**;java.util.**;java.math.*;java.io.*;java.net.*;"
              + "java.rmi.**;java.security.*;javax.management.**;javax.rmi.ssl.*;"
              + "javax.security.auth.login.*;sun.rmi.**;com.sun.jmx.**;com.sun.jndi.rmi.**;!*");

  private JmxFilter() {}

  /**
   * Installs the filter for this process.
   *
   * @throws IllegalStateException if the process has a filter already
   */
  public static void install() {
    ObjectInputFilter.Config.setSerialFilter(FILTER);
  }
}
