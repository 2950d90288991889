// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.bench.cassandra;

import io.coppice.bench.node.RecorderMXBean;
import io.coppice.policy.observe.JmxStrategySnapshot;
import io.coppice.policy.observe.StrategySnapshot;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import javax.management.Attribute;
import javax.management.JMException;
import javax.management.JMX;
import javax.management.MBeanServerConnection;
import javax.management.ObjectName;
import javax.management.openmbean.CompositeData;
import javax.management.remote.JMXConnector;
import javax.management.remote.JMXConnectorFactory;
import javax.management.remote.JMXServiceURL;

/**
 * JMX client of a node: Cassandra's own beans, and the recorder. A method throws {@link
 * IOException} if the node does not answer, and {@link JMException} if it lacks the bean or refuses
 * the call. Safe to share between threads.
 */
public final class NodeClient implements AutoCloseable {

  private static final String STORAGE = "org.apache.cassandra.db:type=StorageService";
  private static final String PROXY = "org.apache.cassandra.db:type=StorageProxy";
  private static final String UNREACHABLE = "UNREACHABLE";

  private final JMXConnector connector;
  private final MBeanServerConnection beans;
  private final RecorderMXBean recorder;

  private NodeClient(JMXConnector connector) throws IOException, JMException {
    this.connector = connector;
    this.beans = connector.getMBeanServerConnection();
    this.recorder =
        JMX.newMXBeanProxy(beans, new ObjectName(RecorderMXBean.NAME), RecorderMXBean.class);
  }

  static NodeClient connect(int port) throws IOException {
    JMXServiceURL url =
        new JMXServiceURL("service:jmx:rmi:///jndi/rmi://127.0.0.1:" + port + "/jmxrmi");
    // Without the periodic check, a killed node leaves no thread that complains.
    Map<String, Object> quiet = Map.of("jmx.remote.x.client.connection.check.period", 0L);
    JMXConnector connector = JMXConnectorFactory.connect(url, quiet);
    try {
      return new NodeClient(connector);
    } catch (JMException e) {
      connector.close();
      throw new IOException(e);
    }
  }

  /** Returns the client of the recorder inside the node. */
  public RecorderMXBean recorder() {
    return recorder;
  }

  public MBeanServerConnection beans() {
    return beans;
  }

  /** Returns Cassandra's version as the node reports it. */
  public String version() throws IOException, JMException {
    return (String) beans.getAttribute(new ObjectName(STORAGE), "ReleaseVersion");
  }

  /** Returns the addresses of the nodes that this node believes to be up, including itself. */
  public List<String> liveNodes() throws IOException, JMException {
    List<?> addresses = (List<?>) beans.getAttribute(new ObjectName(STORAGE), "LiveNodes");
    return addresses.stream().map(String.class::cast).toList();
  }

  /** Returns the schema versions on all reachable nodes, a single one if all agree. */
  public Set<String> schemaVersions() throws IOException, JMException {
    Map<?, ?> nodes = (Map<?, ?>) beans.getAttribute(new ObjectName(PROXY), "SchemaVersions");
    return nodes.keySet().stream()
        .map(String.class::cast)
        .filter(version -> !version.equals(UNREACHABLE))
        .collect(Collectors.toSet());
  }

  /** Limits the total write rate of compactions in MiB per second; 0 means no limit. */
  public void throttle(int mibPerSecond) throws IOException, JMException {
    beans.setAttribute(
        new ObjectName(STORAGE), new Attribute("CompactionThroughputMbPerSec", mibPerSecond));
  }

  /**
   * Returns the snapshot of Coppice's strategy for a table; empty if the table uses another
   * strategy.
   */
  public Optional<StrategySnapshot> strategy(String keyspace, String table)
      throws IOException, JMException {
    ObjectName bean =
        new ObjectName("io.coppice:type=Strategy,keyspace=" + keyspace + ",table=" + table);
    if (!beans.isRegistered(bean)) {
      return Optional.empty();
    }
    Object data = beans.invoke(bean, "snapshot", new Object[0], new String[0]);
    return Optional.of(JmxStrategySnapshot.from((CompositeData) data).snapshot());
  }

  /**
   * Flushes a table and returns once its SSTable exists.
   *
   * @throws IOException if the node does not answer
   * @throws JMException if the node refuses the flush
   */
  public void flush(String keyspace, String table) throws IOException, JMException {
    beans.invoke(
        new ObjectName(STORAGE),
        "forceKeyspaceFlush",
        new Object[] {keyspace, new String[] {table}},
        new String[] {String.class.getName(), String[].class.getName()});
  }

  /**
   * Runs a major compaction of a table and returns when it has ended.
   *
   * @throws IOException if the node does not answer
   * @throws JMException if the compaction fails
   */
  public void compact(String keyspace, String table) throws IOException, JMException {
    beans.invoke(
        new ObjectName(STORAGE),
        "forceKeyspaceCompaction",
        new Object[] {false, keyspace, new String[] {table}},
        new String[] {boolean.class.getName(), String.class.getName(), String[].class.getName()});
  }

  /** Returns the value of a Cassandra counter of a table since the node's start. */
  public long counter(String keyspace, String table, String name) throws IOException, JMException {
    return (Long) beans.getAttribute(metric(keyspace, table, name), "Count");
  }

  /** Returns the buckets of a Cassandra histogram of a table since its creation, without decay. */
  public long[] histogram(String keyspace, String table, String name)
      throws IOException, JMException {
    return (long[])
        beans.invoke(metric(keyspace, table, name), "values", new Object[0], new String[0]);
  }

  private static ObjectName metric(String keyspace, String table, String name) throws JMException {
    return new ObjectName(
        "org.apache.cassandra.metrics:type=Table,keyspace=%s,scope=%s,name=%s"
            .formatted(keyspace, table, name));
  }

  @Override
  public void close() {
    try {
      connector.close();
    } catch (IOException e) {
      // The node may be gone already; then there is nothing to close.
    }
  }
}
