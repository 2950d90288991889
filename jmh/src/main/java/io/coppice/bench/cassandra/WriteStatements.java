// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.bench.cassandra;

import com.datastax.oss.driver.api.core.CqlSession;
import com.datastax.oss.driver.api.core.cql.BoundStatement;
import com.datastax.oss.driver.api.core.cql.PreparedStatement;
import io.coppice.bench.workload.Operation;
import io.coppice.bench.workload.Workload;
import java.nio.ByteBuffer;

/**
 * Prepared CQL statements for the writes of a workload, for a table with the columns pk, ck and v.
 */
public final class WriteStatements {

  private final PreparedStatement insert;
  private final PreparedStatement insertTtl;
  private final PreparedStatement deleteRow;
  private final PreparedStatement deletePartition;

  /**
   * Prepares all statements for one table, which must exist, and waits for the node's answers.
   *
   * @param session stays open, which the caller closes after the last statement
   * @param table name of the table with its keyspace
   */
  public WriteStatements(CqlSession session, String table) {
    String insertText = "INSERT INTO " + table + " (pk, ck, v) VALUES (?, ?, ?) USING TIMESTAMP ?";
    String deleteText = "DELETE FROM " + table + " USING TIMESTAMP ? WHERE pk = ?";
    insert = session.prepare(insertText);
    insertTtl = session.prepare(insertText + " AND TTL ?");
    deleteRow = session.prepare(deleteText + " AND ck = ?");
    deletePartition = session.prepare(deleteText);
  }

  /**
   * Binds the statement of an operation.
   *
   * @param value the value to write; null for a deletion
   */
  public BoundStatement bind(Operation operation, byte[] value) {
    long timestamp = operation.timestampMicros();
    long partition = operation.partition();
    int clustering = operation.clustering();
    ByteBuffer blob = value == null ? null : ByteBuffer.wrap(value);
    return switch (operation.kind()) {
      case INSERT, OVERWRITE -> insert.bind(partition, clustering, blob, timestamp);
      case TTL_SHORT ->
          insertTtl.bind(partition, clustering, blob, timestamp, Workload.SHORT_TTL_SECONDS);
      case TTL_LONG ->
          insertTtl.bind(partition, clustering, blob, timestamp, Workload.LONG_TTL_SECONDS);
      case DELETE_ROW -> deleteRow.bind(timestamp, partition, clustering);
      case DELETE_PARTITION -> deletePartition.bind(timestamp, partition);
    };
  }
}
