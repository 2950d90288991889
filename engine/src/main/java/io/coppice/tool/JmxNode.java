// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.tool;

import io.coppice.base.Causes;
import java.io.IOException;
import java.net.UnknownHostException;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import javax.management.Attribute;
import javax.management.InstanceNotFoundException;
import javax.management.JMException;
import javax.management.MBeanServerConnection;
import javax.management.ObjectName;
import javax.management.RuntimeErrorException;
import javax.management.RuntimeMBeanException;
import javax.management.remote.JMXConnector;
import javax.management.remote.JMXConnectorFactory;
import javax.management.remote.JMXServiceURL;

/** A connection to the JMX agent of a Cassandra node. One thread at a time. */
final class JmxNode implements AutoCloseable {

  private static final String STORAGE = "org.apache.cassandra.db:type=StorageService";
  private static final String PROXY = "org.apache.cassandra.db:type=StorageProxy";
  private static final String RUNTIME = "java.lang:type=Runtime";

  /** A node under load answers in a second; one that does not in ten is not there. */
  private static final long PATIENCE_SECONDS = 10;

  private final NodeAddress address;
  private final JMXConnector connector;
  private final MBeanServerConnection beans;

  private JmxNode(NodeAddress address, JMXConnector connector) throws IOException {
    this.address = address;
    this.connector = connector;
    this.beans = connector.getMBeanServerConnection();
  }

  /**
   * Connects.
   *
   * @throws IOException naming the node, if it does not answer within ten seconds or refuses
   */
  static JmxNode connect(NodeAddress address, JmxLogin login) throws IOException {
    JMXServiceURL url = new JMXServiceURL("service:jmx:rmi:///jndi/rmi://" + address + "/jmxrmi");
    try {
      JMXConnector connector = within(() -> JMXConnectorFactory.connect(url, login.environment()));
      return new JmxNode(address, connector);
    } catch (IOException | SecurityException e) {
      throw new IOException(refusal(address, e), e);
    }
  }

  /** RMI has no time limit of its own that holds for every step of connecting. */
  private static <T> T within(Callable<T> call) throws IOException {
    FutureTask<T> task = new FutureTask<>(call);
    Thread thread = new Thread(task, "jmx");
    thread.setDaemon(true);
    thread.start();
    try {
      return task.get(PATIENCE_SECONDS, TimeUnit.SECONDS);
    } catch (TimeoutException e) {
      throw new IOException("no answer within " + PATIENCE_SECONDS + " s", e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException("interrupted", e);
    } catch (ExecutionException e) {
      if (e.getCause() instanceof IOException io) {
        throw io;
      }
      if (e.getCause() instanceof RuntimeException runtime) {
        throw runtime;
      }
      throw new IOException(e.getCause());
    }
  }

  private static String refusal(NodeAddress address, Exception failure) {
    if (Causes.first(failure, cause -> cause instanceof UnknownHostException) != null) {
      return address + ": unknown host; check the name, or give an IP address";
    }
    return address + " does not answer JMX: " + plain(failure);
  }

  /** The innermost message: RMI wraps refusals several times. */
  static String plain(Throwable failure) {
    return Causes.said(Causes.innermost(failure));
  }

  NodeAddress address() {
    return address;
  }

  /** For those who know the beans they want. */
  MBeanServerConnection connection() {
    return beans;
  }

  /** The feature number of the node's JDK, such as 17, or 8 for 1.8. */
  int jdk() throws IOException {
    String version = get(RUNTIME, "SpecVersion").toString();
    return Integer.parseInt(version.startsWith("1.") ? version.substring(2) : version);
  }

  /** The class path that the node was started with. */
  String classPath() throws IOException {
    return get(RUNTIME, "ClassPath").toString();
  }

  /** The version of Cassandra. */
  String cassandra() throws IOException {
    return get(STORAGE, "ReleaseVersion").toString();
  }

  /** What tells the node from all others, by whatever address it was asked. */
  String hostId() throws IOException {
    // A node that has just started has none.
    return String.valueOf(get(STORAGE, "LocalHostId"));
  }

  /** Schema versions as this node sees them, each with the nodes that have it. */
  Map<?, ?> schemaVersions() throws IOException {
    return (Map<?, ?>) get(PROXY, "SchemaVersions");
  }

  /** The compaction parameters of a table on this node, as JSON. */
  String compaction(String keyspace, String table) throws IOException {
    if (!has(tableName(keyspace, table))) {
      throw noTable(keyspace, table);
    }
    return get(tableName(keyspace, table), "CompactionParametersJson").toString();
  }

  /**
   * Sets them on this node alone, until it restarts.
   *
   * @throws IllegalArgumentException with the node's words, if it refuses; then nothing has changed
   * @throws java.rmi.RemoteException if no answer came; it may have been taken
   */
  void setCompaction(String keyspace, String table, String json) throws IOException {
    try {
      beans.setAttribute(
          name(tableName(keyspace, table)), new Attribute("CompactionParametersJson", json));
    } catch (InstanceNotFoundException e) {
      throw noTable(keyspace, table);
    } catch (RuntimeMBeanException | RuntimeErrorException e) {
      throw new IllegalArgumentException(e.getCause().getMessage(), e);
    } catch (JMException | SecurityException e) {
      throw new IOException(address + ": " + plain(e), e);
    }
  }

  private IOException noTable(String keyspace, String table) {
    return new IOException(address + " has no table " + keyspace + "." + table);
  }

  /** True if the node has a bean of this name. */
  boolean has(String bean) throws IOException {
    return beans.isRegistered(name(bean));
  }

  /**
   * An attribute.
   *
   * @throws IOException if there is no such bean or attribute
   */
  Object get(String bean, String attribute) throws IOException {
    try {
      return beans.getAttribute(name(bean), attribute);
    } catch (InstanceNotFoundException e) {
      throw new IOException(address + " has no " + bean, e);
    } catch (JMException | RuntimeException e) {
      throw new IOException(address + ": " + attribute + " of " + bean + ": " + plain(e), e);
    }
  }

  private static String tableName(String keyspace, String table) {
    return "org.apache.cassandra.db:type=Tables,keyspace=" + keyspace + ",table=" + table;
  }

  private static ObjectName name(String text) {
    try {
      return new ObjectName(text);
    } catch (JMException e) {
      throw new AssertionError(text, e);
    }
  }

  @Override
  public void close() {
    try {
      connector.close();
    } catch (IOException e) {
      // What was asked has been answered, and the node forgets a client that is gone.
      return;
    }
  }
}
