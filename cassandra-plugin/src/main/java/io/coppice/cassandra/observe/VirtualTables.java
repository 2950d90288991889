// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.cassandra.observe;

import io.coppice.cassandra.state.TableState;
import io.coppice.policy.observe.StrategySnapshot;
import io.coppice.policy.observe.StrategySnapshot.Decision;
import io.coppice.policy.observe.StrategySnapshot.Run;
import java.util.ArrayList;
import java.util.Date;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Function;
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
          "keyspace {} already exists, so Coppice adds no virtual tables; drop it and restart the"
              + " node",
          KEYSPACE);
      return;
    }
    List<VirtualTable> tables = List.of(levels(), runs(), amplification(), decisions());
    VirtualKeyspaceRegistry.instance.register(new VirtualKeyspace(KEYSPACE, tables));
  }

  /**
   * A column of a virtual table.
   *
   * @param value returns its value in a row
   */
  private record Column<R>(String name, AbstractType<?> type, Function<R, Object> value) {}

  /** A virtual table with one partition per table that uses one of Coppice's strategies. */
  private static final class OfTables<R> extends AbstractVirtualTable {

    private final Function<StrategySnapshot, List<R>> rows;
    private final List<Column<R>> clustering;
    private final List<Column<R>> regular;

    OfTables(
        String name,
        String comment,
        Function<StrategySnapshot, List<R>> rows,
        List<Column<R>> clustering,
        List<Column<R>> regular) {
      super(metadata(name, comment, clustering, regular));
      this.rows = rows;
      this.clustering = clustering;
      this.regular = regular;
    }

    private static <R> TableMetadata metadata(
        String name, String comment, List<Column<R>> clustering, List<Column<R>> regular) {
      TableMetadata.Builder metadata =
          TableMetadata.builder(KEYSPACE, name)
              .comment(comment)
              .kind(TableMetadata.Kind.VIRTUAL)
              .partitioner(new LocalPartitioner(CompositeType.getInstance(TEXT, TEXT)))
              .addPartitionKeyColumn("keyspace_name", TEXT)
              .addPartitionKeyColumn("table_name", TEXT);
      clustering.forEach(column -> metadata.addClusteringColumn(column.name, column.type));
      regular.forEach(column -> metadata.addRegularColumn(column.name, column.type));
      return metadata.build();
    }

    @Override
    public DataSet data() {
      SimpleDataSet set = new SimpleDataSet(metadata());
      for (TableState state : TableRegistry.all()) {
        for (R row : rows.apply(StrategyBean.snapshotOf(state))) {
          List<Object> key = new ArrayList<>(List.of(state.keyspace(), state.name()));
          clustering.forEach(column -> key.add(column.value.apply(row)));
          set.row(key.toArray());
          regular.forEach(column -> set.column(column.name, column.value.apply(row)));
        }
      }
      return set;
    }
  }

  private record Level(
      String part, int level, int runs, int sstables, long bytes, long claimedBytes) {

    static Level of(Run run) {
      return new Level(run.part(), run.level(), 1, run.tables(), run.bytes(), run.claimedBytes());
    }

    Level and(Level other) {
      return new Level(
          part,
          level,
          runs + other.runs,
          sstables + other.sstables,
          bytes + other.bytes,
          claimedBytes + other.claimedBytes);
    }
  }

  private static List<Level> levels(StrategySnapshot snapshot) {
    Map<List<Object>, Level> levels = new LinkedHashMap<>();
    for (Run run : snapshot.runs()) {
      levels.merge(List.of(run.part(), run.level()), Level.of(run), Level::and);
    }
    return List.copyOf(levels.values());
  }

  private static VirtualTable levels() {
    return new OfTables<>(
        "levels",
        "Runs, SSTables and bytes of each level",
        VirtualTables::levels,
        List.of(
            new Column<>("part", TEXT, Level::part), new Column<>("level", COUNT, Level::level)),
        List.of(
            new Column<>("runs", COUNT, Level::runs),
            new Column<>("sstables", COUNT, Level::sstables),
            new Column<>("bytes", NUMBER, Level::bytes),
            new Column<>("compacting_bytes", NUMBER, Level::claimedBytes)));
  }

  private static VirtualTable runs() {
    return new OfTables<>(
        "runs",
        "Runs: SSTables of one level that do not overlap",
        StrategySnapshot::runs,
        List.of(
            new Column<>("part", TEXT, Run::part),
            new Column<>("level", COUNT, Run::level),
            new Column<>("run", COUNT, Run::run)),
        List.of(
            new Column<>("sstables", COUNT, Run::tables),
            new Column<>("bytes", NUMBER, Run::bytes),
            new Column<>("entries", NUMBER, Run::entries),
            new Column<>("compacting_bytes", NUMBER, Run::claimedBytes),
            new Column<>("left_token", TEXT, Run::low),
            new Column<>("right_token", TEXT, Run::high),
            new Column<>("min_timestamp", NUMBER, Run::minTimestamp),
            new Column<>("max_timestamp", NUMBER, Run::maxTimestamp),
            new Column<>("droppable_ratio", SHARE, Run::droppable)));
  }

  private static VirtualTable amplification() {
    return new OfTables<StrategySnapshot>(
        "amplification",
        "Write and read amplification, and the compaction backlog",
        List::of,
        List.of(),
        List.of(
            new Column<>("policy", TEXT, StrategySnapshot::policy),
            new Column<>("write", SHARE, of -> of.amplification().write()),
            new Column<>("sstables_per_read", SHARE, of -> of.amplification().tablesPerRead()),
            new Column<>("flushed_bytes", NUMBER, of -> of.amplification().flushedBytes()),
            new Column<>("merged_bytes", NUMBER, of -> of.amplification().mergedBytes()),
            new Column<>("live_bytes", NUMBER, of -> of.backlog().liveBytes()),
            new Column<>("backlog_plans", COUNT, of -> of.backlog().plans()),
            new Column<>("backlog_bytes", NUMBER, of -> of.backlog().bytes()),
            new Column<>("backlog_seconds", NUMBER, of -> of.backlog().seconds()),
            new Column<>("headroom_needed_bytes", NUMBER, of -> of.backlog().headroomBytes()),
            new Column<>("headroom_allowed_bytes", NUMBER, of -> of.backlog().allowedBytes())));
  }

  private static VirtualTable decisions() {
    AbstractType<?> newestFirst = ReversedType.getInstance(LongType.instance);
    return new OfTables<>(
        "decisions",
        "The last decisions, newest first, each with its reason",
        StrategySnapshot::decisions,
        List.of(new Column<>("id", newestFirst, Decision::id)),
        List.of(
            new Column<>("at", TimestampType.instance, of -> new Date(of.atMillis())),
            new Column<>("kind", TEXT, Decision::kind),
            new Column<>("reason_code", TEXT, Decision::code),
            new Column<>("sentence", TEXT, Decision::sentence),
            new Column<>("sstables", COUNT, Decision::tables),
            new Column<>("input_bytes", NUMBER, Decision::bytes),
            new Column<>("target_level", COUNT, Decision::level),
            new Column<>("forecast_bytes", NUMBER, Decision::transientBytes),
            new Column<>("policy", TEXT, Decision::policy)));
  }
}
