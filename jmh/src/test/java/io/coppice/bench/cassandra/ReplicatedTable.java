// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.bench.cassandra;

import com.datastax.oss.driver.api.core.ConsistencyLevel;
import com.datastax.oss.driver.api.core.CqlSession;
import com.datastax.oss.driver.api.core.DefaultConsistencyLevel;
import com.datastax.oss.driver.api.core.cql.BoundStatement;
import com.datastax.oss.driver.api.core.cql.Row;
import com.datastax.oss.driver.api.core.cql.SimpleStatement;
import com.datastax.oss.driver.api.core.loadbalancing.NodeDistance;
import io.coppice.bench.workload.LoadShape;
import io.coppice.bench.workload.Operation;
import io.coppice.bench.workload.RowState;
import io.coppice.bench.workload.Workload;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletionStage;

/**
 * A table of a cluster, what is written to it, and what each of its replicas holds. The rows are
 * those of a {@link Workload}: overwrites, deletions of rows and partitions, rows that expire.
 */
final class ReplicatedTable {

  static final String KEYSPACE = "ks";

  /** On a node that allows it: what that node alone holds, nobody else is asked or told. */
  private enum OneNode implements ConsistencyLevel {
    NODE_LOCAL;

    @Override
    public int getProtocolCode() {
      return 11;
    }

    @Override
    public boolean isDcLocal() {
      return true;
    }

    @Override
    public boolean isSerial() {
      return false;
    }
  }

  /** The property of a node that makes it answer for itself alone. */
  static final String ALLOWS_NODE_LOCAL = "cassandra.enable_nodelocal_queries";

  private static final int IN_FLIGHT = 64;

  private final Cluster cluster;
  private final String table;
  private final Workload workload;

  ReplicatedTable(Cluster cluster, String table, long seed, LoadShape shape) {
    this.cluster = cluster;
    this.table = KEYSPACE + "." + table;
    // In which order rows come does not matter here.
    this.workload = new Workload(seed, shape, partition -> partition);
  }

  /** The first port that a test tries for its clients; builds at the same time differ. */
  static int firstPort() {
    return 20_000 + (int) (ProcessHandle.current().pid() % 8_000);
  }

  /** A session that speaks to one node only. */
  static CqlSession connect(Cluster cluster, int number) {
    String[] address = cluster.cqlAddress(number).split(":");
    InetSocketAddress contact = new InetSocketAddress(address[0], Integer.parseInt(address[1]));
    return Node.sessions(contact)
        .withNodeDistanceEvaluator(
            (node, center) ->
                node.getEndPoint().resolve().equals(contact) ? null : NodeDistance.IGNORED)
        .build();
  }

  /** Runs a statement on one node. */
  static List<Row> run(Cluster cluster, int number, String statement) {
    try (CqlSession session = connect(cluster, number)) {
      return session.execute(statement).all();
    }
  }

  /** Makes keyspace and table, through the first node. */
  void create(int replicas, String compaction) {
    run(cluster, 1, Node.keyspace(KEYSPACE, replicas));
    run(
        cluster,
        1,
        """
        CREATE TABLE %s (pk bigint, ck int, v blob, PRIMARY KEY (pk, ck))
        WITH compaction = %s AND compression = {'enabled': false}
        AND speculative_retry = 'NEVER'
        """
            .formatted(table, compaction));
  }

  /** Writes the next so many statements to all replicas. */
  void write(int statements) {
    try (CqlSession session = connect(cluster, 1)) {
      WriteStatements prepared = new WriteStatements(session, table);
      List<BoundStatement> bound = new ArrayList<>();
      for (Operation operation : next(statements)) {
        bound.add(prepared.bind(operation, value(operation)));
      }
      execute(session, bound, DefaultConsistencyLevel.ALL);
    }
  }

  /** Writes the next so many statements, each to one replica only, in turn. */
  void scatter(int statements) {
    List<Operation> operations = next(statements);
    for (int number = 1; number <= cluster.size(); number++) {
      try (CqlSession session = connect(cluster, number)) {
        WriteStatements prepared = new WriteStatements(session, table);
        List<BoundStatement> bound = new ArrayList<>();
        for (int i = number - 1; i < operations.size(); i += cluster.size()) {
          bound.add(prepared.bind(operations.get(i), value(operations.get(i))));
        }
        execute(session, bound, OneNode.NODE_LOCAL);
      }
    }
  }

  private List<Operation> next(int statements) {
    List<Operation> operations = new ArrayList<>();
    for (int i = 0; i < statements; i++) {
      operations.add(workload.next());
    }
    return operations;
  }

  private byte[] value(Operation operation) {
    return operation.kind().writes() ? workload.value(operation) : null;
  }

  private static void execute(
      CqlSession session, List<BoundStatement> statements, ConsistencyLevel level) {
    List<CompletionStage<?>> sent = new ArrayList<>();
    for (BoundStatement statement : statements) {
      sent.add(session.executeAsync(statement.setConsistencyLevel(level)));
      if (sent.size() == IN_FLIGHT) {
        sent.forEach(one -> one.toCompletableFuture().join());
        sent.clear();
      }
    }
    sent.forEach(one -> one.toCompletableFuture().join());
  }

  /** What every replica must hold of what was written so far. */
  Map<String, ByteBuffer> expected() {
    Map<String, ByteBuffer> rows = new TreeMap<>();
    for (long partition = 0; partition < workload.partitions(); partition++) {
      for (int clustering = 0; clustering < LoadShape.ROWS_PER_PARTITION; clustering++) {
        if (workload.expectation().state(partition, clustering) == RowState.LIVE) {
          rows.put(
              name(partition, clustering),
              ByteBuffer.wrap(workload.expectation().value(partition, clustering)));
        }
      }
    }
    return rows;
  }

  /** What one node holds by itself. */
  Map<String, ByteBuffer> held(int number) {
    Map<String, ByteBuffer> rows = new TreeMap<>();
    try (CqlSession session = connect(cluster, number)) {
      SimpleStatement all =
          SimpleStatement.newInstance("SELECT pk, ck, v FROM " + table)
              .setConsistencyLevel(OneNode.NODE_LOCAL);
      for (Row row : session.execute(all)) {
        rows.put(name(row.getLong("pk"), row.getInt("ck")), row.getByteBuffer("v"));
      }
    }
    return rows;
  }

  private static String name(long partition, int clustering) {
    return partition + "/" + clustering;
  }
}
