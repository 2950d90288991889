// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.bench.cost;

import com.datastax.oss.driver.api.core.CqlSession;
import io.coppice.bench.cassandra.EnvironmentException;
import io.coppice.bench.cassandra.Node;
import io.coppice.bench.cassandra.NodeException;
import io.coppice.bench.node.PlanningMeterMXBean;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Locale;
import java.util.Optional;
import javax.management.JMException;
import javax.management.JMX;
import javax.management.ObjectName;

/**
 * Node with one table that Cassandra does not compact, so that a meter can ask the table's strategy
 * alone.
 */
final class PlannedNode implements AutoCloseable {

  private static final String KEYSPACE = "planning";
  private static final int HEAP_MIB = 2048;

  private final Node node;
  private final PlanningMeterMXBean meter;

  private PlannedNode(Node node) throws JMException {
    this.node = node;
    this.meter =
        JMX.newMXBeanProxy(
            node.client().beans(),
            new ObjectName(PlanningMeterMXBean.NAME),
            PlanningMeterMXBean.class);
  }

  /**
   * Starts a node that has no table with a strategy of Coppice yet, and waits until it serves.
   *
   * @throws NodeException if it does not serve; the message names its log
   */
  static PlannedNode start(Path directory, Optional<Path> javaHome)
      throws IOException, EnvironmentException, NodeException, InterruptedException, JMException {
    Node node = Node.startAlone(directory, HEAP_MIB, javaHome);
    try (CqlSession session = node.session()) {
      session.execute(Node.keyspace(KEYSPACE, 1) + " AND durable_writes = false");
      return new PlannedNode(node);
    } catch (JMException | RuntimeException e) {
      node.close();
      throw e;
    }
  }

  /**
   * Creates a table under a policy, and its SSTables in an arrangement.
   *
   * @param tables number of SSTables
   */
  void make(Arrangement arrangement, int tables, String policy) {
    try (CqlSession session = node.session()) {
      session.execute(
          """
          CREATE TABLE %s (pk bigint PRIMARY KEY, v blob)
          WITH compression = {'enabled': false} AND compaction = %s
          """
              .formatted(name(arrangement), compaction(policy)));
    }
    meter.choose(KEYSPACE, table(arrangement), arrangement.valueBytes());
    arrangement.make(meter, tables);
  }

  /** Changes the policy of the table with an arrangement. */
  void change(Arrangement arrangement, String policy) {
    try (CqlSession session = node.session()) {
      session.execute(
          "ALTER TABLE " + name(arrangement) + " WITH compaction = " + compaction(policy));
    }
  }

  private static String compaction(String policy) {
    return """
        {'class': 'io.coppice.cassandra.CoppiceCompactionStrategy', 'enabled': 'false',
         'policy': '%s', 'table_size': '1MiB'}
        """
        .formatted(policy);
  }

  private static String name(Arrangement arrangement) {
    return KEYSPACE + "." + table(arrangement);
  }

  private static String table(Arrangement arrangement) {
    return arrangement.name().toLowerCase(Locale.ROOT);
  }

  /** Returns the meter that makes SSTables and asks for plans. */
  PlanningMeterMXBean meter() {
    return meter;
  }

  /**
   * Reads all figures of the strategy, as a console does, so that the compiler compiles this code
   * before the measurement.
   */
  void readFigures(Arrangement arrangement) throws IOException, JMException {
    node.client().strategy(KEYSPACE, table(arrangement));
  }

  @Override
  public void close() throws IOException {
    node.closeAndDelete();
  }
}
