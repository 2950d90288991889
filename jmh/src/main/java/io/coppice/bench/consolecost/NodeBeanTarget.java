// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.bench.consolecost;

import com.datastax.oss.driver.api.core.CqlSession;
import com.datastax.oss.driver.api.core.cql.PreparedStatement;
import io.coppice.bench.cassandra.EnvironmentException;
import io.coppice.bench.cassandra.Node;
import io.coppice.bench.cassandra.NodeException;
import io.coppice.workload.UniformDraws;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Optional;
import javax.management.JMException;
import javax.management.MBeanServerConnection;
import javax.management.ObjectName;

/**
 * A table of a real Cassandra with many SSTables, all in level 0 and each over nearly the whole
 * ring. Each SSTable is therefore a run, the largest report that a bean can make for this number.
 */
record NodeBeanTarget(Node node, int tables) implements BeanTarget {

  private static final String KEYSPACE = "consolecost";
  private static final String TABLE = "rows";
  private static final int HEAP_MIB = 1024;
  private static final int ROWS = 8;

  /** Starts a node and flushes the given number of times with compaction disabled. */
  static NodeBeanTarget with(int tables, Path directory, Optional<Path> javaHome)
      throws IOException, EnvironmentException, NodeException, InterruptedException, JMException {
    Node node = Node.startAlone(directory, HEAP_MIB, javaHome);
    try {
      fill(node, tables);
      return new NodeBeanTarget(node, tables);
    } catch (IOException | JMException | RuntimeException e) {
      node.close();
      throw e;
    }
  }

  private static void fill(Node node, int tables) throws IOException, JMException {
    UniformDraws draws = new UniformDraws(1, Integer.MAX_VALUE);
    try (CqlSession session = node.session()) {
      session.execute(
          "CREATE KEYSPACE "
              + KEYSPACE
              + " WITH replication = {'class': 'SimpleStrategy', 'replication_factor': 1}");
      session.execute(
          "CREATE TABLE "
              + KEYSPACE
              + "."
              + TABLE
              + " (pk bigint PRIMARY KEY, v int) WITH compaction = {'class':"
              + " 'io.coppice.cassandra.SplitForestCompactionStrategy', 'enabled': 'false'}");
      PreparedStatement insert =
          session.prepare("INSERT INTO " + KEYSPACE + "." + TABLE + " (pk, v) VALUES (?, 1)");
      for (int i = 0; i < tables; i++) {
        for (int row = 0; row < ROWS; row++) {
          session.execute(insert.bind(draws.next()));
        }
        node.client().flush(KEYSPACE, TABLE);
      }
    }
  }

  @Override
  public String name() {
    return "Cassandra, " + tables + " SSTables";
  }

  @Override
  public MBeanServerConnection beans() {
    return node.client().beans();
  }

  @Override
  public ObjectName bean() {
    try {
      return new ObjectName("io.coppice:type=Strategy,keyspace=" + KEYSPACE + ",table=" + TABLE);
    } catch (JMException e) {
      throw new IllegalStateException(e);
    }
  }

  @Override
  public void close() {
    node.closeAndDelete();
  }
}
