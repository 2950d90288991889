// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.cassandra.observe;

import io.coppice.cassandra.state.TableState;
import io.coppice.policy.observe.StrategySnapshot;
import java.util.Date;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BiConsumer;
import org.apache.cassandra.db.marshal.AbstractType;
import org.apache.cassandra.db.marshal.CompositeType;
import org.apache.cassandra.db.marshal.DoubleType;
import org.apache.cassandra.db.marshal.Int32Type;
import org.apache.cassandra.db.marshal.LongType;
import org.apache.cassandra.db.marshal.ReversedType;
import org.apache.cassandra.db.marshal.TimestampType;
import org.apache.cassandra.db.marshal.UTF8Type;
import org.apache.cassandra.db.virtual.AbstractVirtualTable;
import org.apache.cassandra.db.virtual.SimpleDataSet;
import org.apache.cassandra.db.virtual.VirtualKeyspace;
import org.apache.cassandra.db.virtual.VirtualKeyspaceRegistry;
import org.apache.cassandra.db.virtual.VirtualTable;
import org.apache.cassandra.dht.LocalPartitioner;
import org.apache.cassandra.schema.Schema;
import org.apache.cassandra.schema.TableMetadata;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The virtual keyspace {@code coppice}: the {@link StrategySnapshot} of each table as CQL rows. It
 * exists from the first strategy instance of the node on.
 */
final class VirtualTables {

  private static final Logger LOGGER = LoggerFactory.getLogger(VirtualTables.class);

  private static final String KEYSPACE = "coppice";
  private static final AtomicBoolean REGISTERED = new AtomicBoolean();

  private static final AbstractType<?> TEXT = UTF8Type.instance;
  private static final AbstractType<?> COUNT = Int32Type.instance;
  private static final AbstractType<?> NUMBER = LongType.instance;
  private static final AbstractType<?> SHARE = DoubleType.instance;

  private VirtualTables() {}

  /** Registers the keyspace once, unless a user keyspace has that name. */
  static void register() {
    if (!REGISTERED.compareAndSet(false, true)) {
      return;
    }
    if (Schema.instance.getKeyspaceMetadata(KEYSPACE) != null) {
      LOGGER.info(
          "keyspace {} already exists, so Coppice adds no virtual tables; drop it and restart the node",
          KEYSPACE);
      return;
    }
    List<VirtualTable> tables = List.of(levels(), runs(), amplification(), decisions());
    VirtualKeyspaceRegistry.instance.register(new VirtualKeyspace(KEYSPACE, tables));
  }

  /** A virtual table with one partition per table that uses one of Coppice's strategies. */
  private static final class OfTables extends AbstractVirtualTable {

    private final BiConsumer<SimpleDataSet, OneTable> rows;

    OfTables(TableMetadata.Builder metadata, BiConsumer<SimpleDataSet, OneTable> rows) {
      super(metadata.build());
      this.rows = rows;
    }

    @Override
    public DataSet data() {
      SimpleDataSet set = new SimpleDataSet(metadata());
      for (TableState state : TableRegistry.all()) {
        StrategySnapshot snapshot = StrategyBean.snapshotOf(state);
        rows.accept(set, new OneTable(state.keyspace(), state.name(), snapshot));
      }
      return set;
    }
  }

  private record OneTable(String keyspace, String name, StrategySnapshot snapshot) {}

  private static TableMetadata.Builder builder(String name, String comment) {
    return TableMetadata.builder(KEYSPACE, name)
        .comment(comment)
        .kind(TableMetadata.Kind.VIRTUAL)
        .partitioner(new LocalPartitioner(CompositeType.getInstance(TEXT, TEXT)))
        .addPartitionKeyColumn("keyspace_name", TEXT)
        .addPartitionKeyColumn("table_name", TEXT);
  }

  private static VirtualTable levels() {
    TableMetadata.Builder metadata =
        builder("levels", "What lies in each level")
            .addClusteringColumn("part", TEXT)
            .addClusteringColumn("level", COUNT)
            .addRegularColumn("runs", COUNT)
            .addRegularColumn("sstables", COUNT)
            .addRegularColumn("bytes", NUMBER)
            .addRegularColumn("compacting_bytes", NUMBER);
    return new OfTables(metadata, VirtualTables::addLevels);
  }

  private record Level(int runs, int sstables, long bytes, long claimedBytes) {

    static Level of(StrategySnapshot.Run run) {
      return new Level(1, run.tables(), run.bytes(), run.claimedBytes());
    }

    Level and(Level other) {
      return new Level(
          runs + other.runs,
          sstables + other.sstables,
          bytes + other.bytes,
          claimedBytes + other.claimedBytes);
    }
  }

  private static void addLevels(SimpleDataSet set, OneTable table) {
    Map<String, Map<Integer, Level>> parts = new TreeMap<>();
    for (StrategySnapshot.Run run : table.snapshot.runs()) {
      parts
          .computeIfAbsent(run.part(), part -> new TreeMap<>())
          .merge(run.level(), Level.of(run), Level::and);
    }
    parts.forEach(
        (part, levels) ->
            levels.forEach(
                (level, sum) ->
                    set.row(table.keyspace, table.name, part, level)
                        .column("runs", sum.runs)
                        .column("sstables", sum.sstables)
                        .column("bytes", sum.bytes)
                        .column("compacting_bytes", sum.claimedBytes)));
  }

  private static VirtualTable runs() {
    TableMetadata.Builder metadata =
        builder("runs", "SSTables of one level that do not overlap")
            .addClusteringColumn("part", TEXT)
            .addClusteringColumn("level", COUNT)
            .addClusteringColumn("run", COUNT)
            .addRegularColumn("sstables", COUNT)
            .addRegularColumn("bytes", NUMBER)
            .addRegularColumn("entries", NUMBER)
            .addRegularColumn("compacting_bytes", NUMBER)
            .addRegularColumn("left_token", TEXT)
            .addRegularColumn("right_token", TEXT)
            .addRegularColumn("min_timestamp", NUMBER)
            .addRegularColumn("max_timestamp", NUMBER)
            .addRegularColumn("droppable_ratio", SHARE);
    return new OfTables(
        metadata,
        (set, table) -> {
          for (StrategySnapshot.Run run : table.snapshot.runs()) {
            set.row(table.keyspace, table.name, run.part(), run.level(), run.run())
                .column("sstables", run.tables())
                .column("bytes", run.bytes())
                .column("entries", run.entries())
                .column("compacting_bytes", run.claimedBytes())
                .column("left_token", run.low())
                .column("right_token", run.high())
                .column("min_timestamp", run.minTimestamp())
                .column("max_timestamp", run.maxTimestamp())
                .column("droppable_ratio", run.droppable());
          }
        });
  }

  private static VirtualTable amplification() {
    TableMetadata.Builder metadata =
        builder("amplification", "What writing, reading and compaction still to do cost")
            .addRegularColumn("policy", TEXT)
            .addRegularColumn("write", SHARE)
            .addRegularColumn("sstables_per_read", SHARE)
            .addRegularColumn("flushed_bytes", NUMBER)
            .addRegularColumn("merged_bytes", NUMBER)
            .addRegularColumn("live_bytes", NUMBER)
            .addRegularColumn("backlog_plans", COUNT)
            .addRegularColumn("backlog_bytes", NUMBER)
            .addRegularColumn("backlog_seconds", NUMBER)
            .addRegularColumn("headroom_needed_bytes", NUMBER)
            .addRegularColumn("headroom_allowed_bytes", NUMBER);
    return new OfTables(
        metadata,
        (set, table) -> {
          StrategySnapshot.Amplification cost = table.snapshot.amplification();
          StrategySnapshot.Backlog backlog = table.snapshot.backlog();
          set.row(table.keyspace, table.name)
              .column("policy", table.snapshot.policy())
              .column("write", cost.write())
              .column("sstables_per_read", cost.tablesPerRead())
              .column("flushed_bytes", cost.flushedBytes())
              .column("merged_bytes", cost.mergedBytes())
              .column("live_bytes", backlog.liveBytes())
              .column("backlog_plans", backlog.plans())
              .column("backlog_bytes", backlog.bytes())
              .column("backlog_seconds", backlog.seconds())
              .column("headroom_needed_bytes", backlog.headroomBytes())
              .column("headroom_allowed_bytes", backlog.allowedBytes());
        });
  }

  private static VirtualTable decisions() {
    TableMetadata.Builder metadata =
        builder("decisions", "The last plans that were taken up, and why")
            .addClusteringColumn("id", ReversedType.getInstance(LongType.instance))
            .addRegularColumn("at", TimestampType.instance)
            .addRegularColumn("kind", TEXT)
            .addRegularColumn("reason_code", TEXT)
            .addRegularColumn("sentence", TEXT)
            .addRegularColumn("sstables", COUNT)
            .addRegularColumn("input_bytes", NUMBER)
            .addRegularColumn("target_level", COUNT)
            .addRegularColumn("forecast_bytes", NUMBER)
            .addRegularColumn("policy", TEXT);
    return new OfTables(
        metadata,
        (set, table) -> {
          for (StrategySnapshot.Decision decision : table.snapshot.decisions()) {
            set.row(table.keyspace, table.name, decision.id())
                .column("at", new Date(decision.atMillis()))
                .column("kind", decision.kind())
                .column("reason_code", decision.code())
                .column("sentence", decision.sentence())
                .column("sstables", decision.tables())
                .column("input_bytes", decision.bytes())
                .column("target_level", decision.level())
                .column("forecast_bytes", decision.transientBytes())
                .column("policy", decision.policy());
          }
        });
  }
}
