// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.bench.compare;

import com.datastax.oss.driver.api.core.CqlSession;
import com.datastax.oss.driver.api.core.cql.BoundStatement;
import com.datastax.oss.driver.api.core.cql.PreparedStatement;
import com.datastax.oss.driver.api.core.cql.Row;
import com.datastax.oss.driver.internal.core.metadata.token.Murmur3Token;
import com.datastax.oss.driver.internal.core.metadata.token.Murmur3TokenFactory;
import io.coppice.bench.cassandra.Node;
import io.coppice.bench.cassandra.WriteStatements;
import io.coppice.bench.compare.report.Contender;
import io.coppice.bench.workload.LoadShape;
import io.coppice.bench.workload.Operation;
import java.nio.ByteBuffer;

/**
 * CQL access to the table of a comparison, through the real Java driver: its schema and its
 * prepared statements. Compression and caches are off and filters equal, so that only compaction
 * differs. Safe to share between threads.
 */
final class Cql implements AutoCloseable {

  static final String KEYSPACE = "coppice_compare";

  /**
   * Grace period of tombstones in seconds. It is short, so a wrong purge shows as a wrong row
   * within the run.
   */
  private static final int GC_GRACE_SECONDS = 1;

  private static final Murmur3TokenFactory TOKENS = new Murmur3TokenFactory();

  private final CqlSession session;
  private final String table;
  private WriteStatements writes;
  private PreparedStatement selectRow;
  private PreparedStatement selectPartition;
  private PreparedStatement selectRange;

  /**
   * Takes over a session, which {@link #close} closes, for statements on a table.
   *
   * @param table name with its keyspace
   */
  Cql(CqlSession session, String table) {
    this.session = session;
    this.table = KEYSPACE + "." + table;
  }

  /** Creates the keyspace and the table of a contender. */
  void create(Contender contender) {
    session.execute(Node.keyspace(KEYSPACE, 1));
    session.execute(
        """
        CREATE TABLE %s (pk bigint, ck int, v blob, PRIMARY KEY (pk, ck))
        WITH compaction = %s
        AND compression = {'enabled': false}
        AND caching = {'keys': 'NONE', 'rows_per_partition': 'NONE'}
        AND bloom_filter_fp_chance = 0.01
        AND gc_grace_seconds = %d
        AND speculative_retry = 'NEVER'
        """
            .formatted(table, contender.cql(), GC_GRACE_SECONDS));
  }

  /**
   * Prepares the statements on the table, which must exist. Called once, before any of them is
   * bound.
   */
  void prepare() {
    writes = new WriteStatements(session, table);
    selectRow = session.prepare("SELECT ck, v FROM " + table + " WHERE pk = ? AND ck = ?");
    selectPartition = session.prepare("SELECT ck, v FROM " + table + " WHERE pk = ?");
    selectRange =
        session.prepare(
            "SELECT pk, ck, v FROM " + table + " WHERE token(pk) >= ? AND token(pk) <= ?");
  }

  CqlSession session() {
    return session;
  }

  /**
   * Returns the bound statement of an operation.
   *
   * @param value value to write; null if the operation writes none
   */
  BoundStatement bind(Operation operation, byte[] value) {
    return writes.bind(operation, value);
  }

  BoundStatement row(long partition, int clustering) {
    return selectRow.bind(partition, clustering);
  }

  BoundStatement partition(long partition) {
    return selectPartition.bind(partition);
  }

  BoundStatement range(long firstToken, long lastToken) {
    return selectRange.bind(firstToken, lastToken).setPageSize(10 * LoadShape.ROWS_PER_PARTITION);
  }

  static int clustering(Row row) {
    return row.getInt("ck");
  }

  static byte[] value(Row row) {
    ByteBuffer blob = row.getByteBuffer("v");
    byte[] value = new byte[blob.remaining()];
    blob.get(value);
    return value;
  }

  /** Returns the token of a partition under Cassandra's partitioner. */
  static long token(long partition) {
    ByteBuffer key = ByteBuffer.allocate(Long.BYTES).putLong(0, partition);
    return ((Murmur3Token) TOKENS.hash(key)).getValue();
  }

  @Override
  public void close() {
    session.close();
  }
}
