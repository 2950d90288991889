// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.bench.cost;

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
import javax.management.ObjectName;

/**
 * A table of a real Cassandra with many SSTables, all in level 0 and each over nearly the whole
 * ring. Each SSTable is therefore a run of its own, which makes the bean's report as large as it
 * can be.
 */
final class NodeBeanTarget {

  private static final String KEYSPACE = "consolecost";
  private static final String TABLE = "rows";
  private static final int HEAP_MIB = 1024;
  private static final int ROWS = 8;

  private NodeBeanTarget() {}

  /**
   * Starts a node and makes SSTables by flushes, with compaction disabled.
   *
   * @param tables number of SSTables
   * @return the node, which the caller closes
   * @throws NodeException if the node does not serve; the message names its log
   */
  static BeanTarget with(int tables, Path directory, Optional<Path> javaHome)
      throws IOException, EnvironmentException, NodeException, InterruptedException, JMException {
    Node node = Node.startAlone(directory, HEAP_MIB, javaHome);
    try {
      fill(node, tables);
      return new BeanTarget(
          "Cassandra, " + tables + " SSTables",
          node.client().beans(),
          new ObjectName("io.coppice:type=Strategy,keyspace=" + KEYSPACE + ",table=" + TABLE),
          node::closeAndDelete);
    } catch (IOException | JMException | RuntimeException e) {
      node.close();
      throw e;
    }
  }

  private static void fill(Node node, int tables) throws IOException, JMException {
    UniformDraws draws = new UniformDraws(1, Integer.MAX_VALUE);
    try (CqlSession session = node.session()) {
      session.execute(Node.keyspace(KEYSPACE, 1));
      session.execute(
          """
          CREATE TABLE %s.%s (pk bigint PRIMARY KEY, v int) WITH compaction = {
            'class': 'io.coppice.cassandra.SplitForestCompactionStrategy', 'enabled': 'false'}
          """
              .formatted(KEYSPACE, TABLE));
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
}
