// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.tool.jmx;

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

/** A connection to the JMX agent of a Cassandra node. Used by one thread at a time. */
public final class JmxNode implements AutoCloseable {

  private static final String STORAGE = "org.apache.cassandra.db:type=StorageService";
  private static final String PROXY = "org.apache.cassandra.db:type=StorageProxy";
  private static final String RUNTIME = "java.lang:type=Runtime";

  /**
   * Name of the RMI property that bounds the wait for an answer, in milliseconds. A node that
   * exceeds it counts as down. Without it, waits are unlimited.
   */
  private static final String PATIENCE = "sun.rmi.transport.tcp.responseTimeout";

  private final NodeAddress address;
  private final JMXConnector connector;
  private final MBeanServerConnection beans;

  private JmxNode(NodeAddress address, JMXConnector connector) throws IOException {
    this.address = address;
    this.connector = connector;
    this.beans = connector.getMBeanServerConnection();
  }

  /**
   * Connects to a node and waits for it, at most as long as RMI waits for an answer in this
   * process.
   *
   * @throws IOException if the node refuses or does not answer in time; the message names it
   */
  public static JmxNode connect(NodeAddress address, JmxLogin login) throws IOException {
    return connect(address, login, Long.getLong(PATIENCE, 0));
  }

  /**
   * Connects to a node and waits for it.
   *
   * @param patienceMillis the longest wait in milliseconds; 0 or less for no limit
   * @throws IOException if the node refuses or does not answer in time; the message names it
   */
  static JmxNode connect(NodeAddress address, JmxLogin login, long patienceMillis)
      throws IOException {
    JMXServiceURL url = new JMXServiceURL("service:jmx:rmi:///jndi/rmi://" + address + "/jmxrmi");
    try {
      JMXConnector connector =
          within(patienceMillis, () -> JMXConnectorFactory.connect(url, login.environment()));
      return new JmxNode(address, connector);
    } catch (IOException | SecurityException e) {
      throw new IOException(refusal(address, e), e);
    }
  }

  /**
   * Runs a call with a time limit, or without one if it is 0 or less. RMI has no limit that covers
   * every step of connecting.
   */
  private static <T> T within(long millis, Callable<T> call) throws IOException {
    FutureTask<T> task = new FutureTask<>(call);
    Thread thread = new Thread(task, "jmx");
    thread.setDaemon(true);
    thread.start();
    try {
      return millis <= 0 ? task.get() : task.get(millis, TimeUnit.MILLISECONDS);
    } catch (TimeoutException e) {
      // The cause is left out, because {@code plain} shows the innermost one.
      throw new IOException("no answer within " + duration(millis));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException("the call was interrupted", e);
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

  private static String duration(long millis) {
    return millis % 1000 == 0 ? millis / 1000 + " s" : millis + " ms";
  }

  private static String refusal(NodeAddress address, Exception failure) {
    if (Causes.first(failure, cause -> cause instanceof UnknownHostException) != null) {
      return address + ": unknown host; check the name, or use an IP address";
    }
    return address
        + " does not answer JMX: "
        + plain(failure)
        + "; check the port, --user and --ssl, and that JMX listens on this address";
  }

  /** Returns the message of the innermost cause, because RMI wraps failures several times. */
  public static String plain(Throwable failure) {
    return Causes.said(Causes.innermost(failure));
  }

  public NodeAddress address() {
    return address;
  }

  /** Returns the connection for callers that use beans directly. */
  MBeanServerConnection connection() {
    return beans;
  }

  /**
   * Returns the feature number of the node's JDK, such as 17, or 8 for 1.8.
   *
   * @throws IOException if the node does not answer
   */
  public int jdk() throws IOException {
    String version = get(RUNTIME, "SpecVersion").toString();
    return Integer.parseInt(version.startsWith("1.") ? version.substring(2) : version);
  }

  /** Returns the class path of the node's process. */
  public String classPath() throws IOException {
    return get(RUNTIME, "ClassPath").toString();
  }

  /** Returns the version of Cassandra. */
  public String cassandra() throws IOException {
    return get(STORAGE, "ReleaseVersion").toString();
  }

  /**
   * Returns the host id, which identifies a node under all of its addresses; {@code null} as text
   * from a node that has just started.
   */
  public String hostId() throws IOException {
    // A node that has just started has no host id.
    return String.valueOf(get(STORAGE, "LocalHostId"));
  }

  /**
   * Returns the schema versions that this node sees, each with the list of the nodes that have it.
   * The version {@code UNREACHABLE} lists the nodes that are down.
   */
  public Map<?, ?> schemaVersions() throws IOException {
    return (Map<?, ?>) get(PROXY, "SchemaVersions");
  }

  /**
   * Returns the compaction parameters of a table on this node, as JSON.
   *
   * @throws IOException if the node lacks the table, or the connection fails
   */
  public String compaction(String keyspace, String table) throws IOException {
    if (!has(tableName(keyspace, table))) {
      throw noTable(keyspace, table);
    }
    return get(tableName(keyspace, table), "CompactionParametersJson").toString();
  }

  /**
   * Sets the compaction parameters of a table on this node alone, until it restarts.
   *
   * @throws IllegalArgumentException with the node's message, if it refuses and keeps the old ones
   * @throws java.rmi.RemoteException if no answer came; the change may have taken effect
   * @throws IOException if the node has no such table or denies access
   */
  public void setCompaction(String keyspace, String table, String json) throws IOException {
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

  /** Returns whether the node has a bean of this name. */
  public boolean has(String bean) throws IOException {
    return beans.isRegistered(name(bean));
  }

  /**
   * Returns an attribute.
   *
   * @throws IOException if the bean or the attribute is missing, or the connection fails
   */
  public Object get(String bean, String attribute) throws IOException {
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
      // The node forgets a client that is gone, so a failed close leaves nothing behind.
      return;
    }
  }
}
