// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
/**
 * JMX connections to a process: address, login and deserialization filter. An address comes in, a
 * connection goes out.
 *
 * <p>The main class installs {@code JmxFilter} before the first connection: it admits listed
 * classes alone. Records, enums and exceptions are safe to share between threads.
 */
package io.coppice.tool.jmx;
