// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.bench.compare;

import com.datastax.oss.driver.api.core.cql.Row;
import io.coppice.bench.cassandra.Node;
import io.coppice.bench.cassandra.NodeException;
import io.coppice.bench.compare.report.Contender;
import io.coppice.bench.node.RecorderMXBean;
import io.coppice.bench.report.FigureTable;
import io.coppice.bench.suite.BenchExitCode;
import io.coppice.bench.suite.BenchmarkCommand;
import io.coppice.bench.suite.OptionReader;
import io.coppice.bench.suite.ProgressLine;
import io.coppice.bench.workload.LoadShape;
import io.coppice.bench.workload.Mix;
import io.coppice.bench.workload.Operation;
import io.coppice.bench.workload.Operation.Kind;
import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import javax.management.JMException;
import picocli.CommandLine.Command;

/**
 * The command {@code deletions}: measures the disk use of a Cassandra node after most rows were
 * deleted.
 */
@Command(name = "deletions", sortOptions = false)
public final class DeletionsCommand extends BenchmarkCommand {

  private static final int TABLE_MIB = 1;
  private static final int HEAP_MIB = 1024;
  private static final int ROWS = LoadShape.ROWS_PER_PARTITION;
  private static final int KEY_BYTES = Long.BYTES + Integer.BYTES;
  private static final long SECONDS_BEYOND_GRACE = 2;

  /**
   * Load of one table. Each partition has four rows.
   *
   * @param flushes number of flushes of the inserts
   * @param deletionFlushes number of flushes of the deletions
   * @param byRow whether rows are deleted, instead of whole partitions
   */
  private record Load(
      int partitions, int valueBytes, int flushes, int deletionFlushes, boolean byRow, long seed) {

    private String describe() {
      return "%d partitions of %d rows with %d bytes, %d flushes of writes, %d of deletions by %s, seed %d"
          .formatted(
              partitions,
              ROWS,
              valueBytes,
              flushes,
              deletionFlushes,
              byRow ? "row" : "partition",
              seed);
    }

    /**
     * Returns the expected number of statements, deletions included.
     *
     * @param percent share of the rows that is deleted
     */
    private long statements(int percent) {
      return (long) partitions * ROWS + (long) partitions * (byRow ? ROWS : 1) * percent / 100;
    }

    private boolean deletes(long partition, int percent) {
      return Mix.below(100, seed, partition) < percent;
    }
  }

  /**
   * A row of the table: the disk use of a strategy once all compactions have ended, in bytes.
   *
   * @param live bytes of the rows alive
   * @param bytes bytes on disk
   * @param overLive bytes on disk divided by {@code live}
   * @param overFirst bytes on disk divided by those of the first strategy
   * @param rewritten bytes that compactions wrote
   */
  record Rest(
      int deletedPercent,
      String strategy,
      long live,
      double bytes,
      double overLive,
      double overFirst,
      int sstables,
      long rewritten) {}

  private int made;
  private ProgressLine progress;

  @Override
  protected int run(OptionReader reader) throws Exception {
    Map<String, Contender> known = strategies();
    List<String> ids = reader.list("strategies", "");
    ids.forEach(id -> reader.isNamed("strategies", id, known.keySet()));
    List<Integer> shares =
        reader.list("deleted", "").stream().map(s -> reader.whole("deleted", s, 0, 99)).toList();
    Load load =
        new Load(
            reader.whole("partitions", 0, 100, 10_000_000),
            reader.whole("value-size", 0, 16, 1 << 20),
            reader.whole("flushes", 0, 1, 10_000),
            reader.whole("deletion-flushes", 0, 1, 10_000),
            reader.oneOf("by", "partition", "row").equals("row"),
            reader.seed());
    var javaHome = reader.path("java-home");
    int flushes = Math.max(load.flushes, load.deletionFlushes);
    if (reader.faults().isEmpty() && flushes > load.partitions) {
      reader.fault("flushes (%d) exceed --partitions (%d)", flushes, load.partitions);
    }
    reader.check();
    FigureTable figures = table(Rest.class, reader, load.describe());
    progress = progress(shares.size() * ids.size(), ids.size());
    Node node = Node.startAlone(directory(), HEAP_MIB, javaHome);
    boolean right = true;
    try {
      for (int share : shares) {
        double first = Double.NaN;
        for (String id : ids) {
          String table = "deleted_" + made++;
          progress.begin(id);
          try (Cql cql = new Cql(node.session(), table)) {
            cql.create(known.get(id));
            cql.prepare();
            RecorderMXBean recorder = node.client().recorder();
            recorder.watch(Cql.KEYSPACE, table);
            long live = write(node, cql, table, load, share);
            double rest = recorder.getSpace().bytes();
            first = Double.isNaN(first) ? rest : first;
            long rewritten = recorder.getChanges().rewrittenBytes();
            progress.finished();
            progress.erase();
            figures.add(
                new Rest(
                    share,
                    id,
                    live,
                    rest,
                    rest / live,
                    rest / first,
                    recorder.getTables(),
                    rewritten));
            right &= hasTheRightRows(cql, table, load, share);
            cql.session().execute("DROP TABLE " + Cql.KEYSPACE + "." + table);
          } catch (RuntimeException e) {
            throw node.failure(id + " broke off: " + e, e);
          }
        }
      }
    } finally {
      progress.erase();
      node.closeAndDelete();
    }
    figures.end();
    return right ? BenchExitCode.DONE : BenchExitCode.WRONG_ANSWERS;
  }

  private static Map<String, Contender> strategies() {
    Map<String, Contender> known = new LinkedHashMap<>();
    Contender.all(TABLE_MIB).forEach(contender -> known.put(contender.id(), contender));
    for (String policy : List.of("leveled", "tiered")) {
      known.put(
          policy,
          new Contender(
              policy,
              policy,
              "io.coppice.cassandra.CoppiceCompactionStrategy",
              Map.of("policy", policy, "table_size", TABLE_MIB + "MiB"),
              Contender.Proof.NONE));
    }
    return known;
  }

  /**
   * Writes the rows, deletes a share of them, waits until all compactions have ended, and returns
   * the live bytes.
   *
   * @param share percentage of the rows to delete
   */
  private long write(Node node, Cql cql, String table, Load load, int share)
      throws NodeException, InterruptedException, IOException, JMException {
    InFlight inFlight = new InFlight(cql.session());
    byte[] value = new byte[load.valueBytes];
    long index = 0;
    long live = 0;
    int flushed = 0;
    for (int partition = 0; partition < load.partitions; partition++) {
      for (int row = 0; row < ROWS; row++) {
        for (int i = 0; i < value.length; i++) {
          value[i] = (byte) Mix.of(load.seed + index, i);
        }
        Operation insert = new Operation(index++, Kind.INSERT, partition, row);
        inFlight.send(cql.bind(insert, value.clone()), answer -> {});
      }
      live += load.deletes(partition, share) ? 0 : (long) ROWS * (KEY_BYTES + load.valueBytes);
      progress.at("writes", (double) index / load.statements(share));
      flushed = flush(node, inFlight, table, flushed, partition + 1, load, load.flushes);
    }
    flushed = 0;
    for (int partition = 0; partition < load.partitions; partition++) {
      for (int row = 0; load.deletes(partition, share) && row < (load.byRow ? ROWS : 1); row++) {
        Kind kind = load.byRow ? Kind.DELETE_ROW : Kind.DELETE_PARTITION;
        inFlight.send(cql.bind(new Operation(index++, kind, partition, row), null), answer -> {});
      }
      progress.at("deletions", (double) index / load.statements(share));
      flushed = flush(node, inFlight, table, flushed, partition + 1, load, load.deletionFlushes);
    }
    LoadWriter.settle(node);
    TimeUnit.SECONDS.sleep(SECONDS_BEYOND_GRACE);
    LoadWriter.settle(node);
    return live;
  }

  /**
   * Flushes if the progress of the load is due for the next flush; first waits for all compactions
   * of earlier flushes.
   *
   * @param flushed number of flushes done before
   * @param done number of partitions completed in this phase
   * @param flushes number of flushes of the whole phase
   * @return the number of flushes done
   */
  private static int flush(
      Node node, InFlight inFlight, String table, int flushed, long done, Load load, int flushes)
      throws NodeException, InterruptedException, IOException, JMException {
    if (done * flushes < (flushed + 1L) * load.partitions) {
      return flushed;
    }
    inFlight.drain();
    LoadWriter.settle(node);
    node.client().flush(Cql.KEYSPACE, table);
    return flushed + 1;
  }

  private boolean hasTheRightRows(Cql cql, String table, Load load, int share) {
    int[] rows = new int[load.partitions];
    for (Row row : cql.session().execute("SELECT pk FROM " + Cql.KEYSPACE + "." + table)) {
      rows[(int) row.getLong("pk")]++;
    }
    for (int partition = 0; partition < load.partitions; partition++) {
      int expected = load.deletes(partition, share) ? 0 : ROWS;
      if (rows[partition] != expected) {
        err()
            .println(
                "partition %d of %s has %d rows instead of %d"
                    .formatted(partition, table, rows[partition], expected));
        return false;
      }
    }
    return true;
  }
}
