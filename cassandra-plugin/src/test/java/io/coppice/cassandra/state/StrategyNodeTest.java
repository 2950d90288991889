// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.cassandra.state;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.coppice.cassandra.CoppiceStrategy;
import io.coppice.cassandra.node.Node;
import io.coppice.cassandra.node.SharedNode;
import io.coppice.cassandra.node.TableModel;
import io.coppice.cassandra.observe.StrategyBean;
import io.coppice.cassandra.observe.TableRegistry;
import io.coppice.cassandra.observe.TableStatsSampler;
import io.coppice.cassandra.sstable.CqlOptions;
import io.coppice.cassandra.sstable.FlushShards;
import io.coppice.cassandra.sstable.PluginVersion;
import io.coppice.cassandra.sstable.SSTableInventory;
import io.coppice.policy.observe.Decision;
import io.coppice.policy.observe.DecisionJournal;
import io.coppice.policy.spec.PolicySpec;
import io.coppice.policy.tuner.RungSwitch;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.apache.cassandra.cql3.UntypedResultSet;
import org.apache.cassandra.db.ColumnFamilyStore;
import org.apache.cassandra.db.DecoratedKey;
import org.apache.cassandra.db.compaction.CompactionHistoryTabularData;
import org.apache.cassandra.db.compaction.CompactionManager;
import org.apache.cassandra.db.compaction.LeveledCompactionStrategy;
import org.apache.cassandra.db.compaction.OperationType;
import org.apache.cassandra.db.lifecycle.LifecycleTransaction;
import org.apache.cassandra.db.marshal.Int32Type;
import org.apache.cassandra.db.marshal.UTF8Type;
import org.apache.cassandra.db.rows.UnfilteredRowIterator;
import org.apache.cassandra.dht.Range;
import org.apache.cassandra.dht.Token;
import org.apache.cassandra.exceptions.ConfigurationException;
import org.apache.cassandra.io.sstable.ISSTableScanner;
import org.apache.cassandra.io.sstable.format.SSTableFormat.Components;
import org.apache.cassandra.io.sstable.format.SSTableReader;
import org.apache.cassandra.utils.FBUtilities;
import org.apache.cassandra.utils.TimeUUID;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** The strategy inside a real node, through CQL and the node's own operations. */
@SharedNode
final class StrategyNodeTest {

  private static final long SEED = Long.getLong("seed", 20261120L);
  private static final int PARTITIONS = 720;
  private static final String OURS =
      "{'class': 'io.coppice.cassandra.SplitForestCompactionStrategy', 'table_size': '1MiB'}";

  private static Node node;

  @BeforeAll
  static void startNode() {
    node = Node.shared();
  }

  @AfterAll
  static void nodeComplainedOfNothingButTheIllegalPlanAndTheRefusal() {
    assertThat(node.complaints())
        .allMatch(
            line ->
                line.contains("ks.illegal")
                    || line.contains("Could not set new local compaction strategy"))
        .hasSizeLessThanOrEqualTo(3);
  }

  @Test
  void refusesAllWrongOptionsAtOnceAndKeepsTheOldStrategy() {
    ColumnFamilyStore table = create("wrong", "{'class': 'LeveledCompactionStrategy'}");
    String wrong =
        "ALTER TABLE ks.wrong WITH compaction = {"
            + "'class': 'io.coppice.cassandra.SplitForestCompactionStrategy',"
            + " 'fanout': '1', 'table_size': '64KiB', 'tombstone_threshold': 'low',"
            + " 'log_all': 'perhaps', 'fan_out': '4'}";
    assertThatThrownBy(() -> node.cql(wrong))
        .isInstanceOf(ConfigurationException.class)
        .hasMessageContaining("fanout (1) must be in 2..32")
        .hasMessageContaining("table_size (64KiB) must be in 1MiB..10GiB")
        .hasMessageContaining("tombstone_threshold (low) must be a number of 0 or more")
        .hasMessageContaining("log_all (perhaps) must be true or false")
        .hasMessageContaining("'fan_out' is not understood; did you mean 'fanout'?");
    assertThat(table.getCompactionStrategyManager().getCompactionParams().klass())
        .isEqualTo(LeveledCompactionStrategy.class);
    assertThat(node.hasBean("wrong")).isFalse();
  }

  @Test
  void takesCassandrasOwnOptionsButNoThresholds() {
    ColumnFamilyStore table =
        create(
            "standard",
            "{'class': 'io.coppice.cassandra.SplitForestCompactionStrategy', 'enabled': 'true',"
                + " 'log_all': 'true', 'tombstone_threshold': '0.3',"
                + " 'tombstone_compaction_interval': '3600', 'unchecked_tombstone_compaction': 'false',"
                + " 'only_purge_repaired_tombstones': 'false',"
                + " 'provide_overlapping_tombstones': 'none'}");
    assertThat(node.bean("standard", "Policy"))
        .isEqualTo(
            "split-forest,fanout=4,table_size=160MiB,cleaning_threshold=10"
                + ",max_transient_space=unlimited");
    TableModel model = new TableModel(node, "standard", SEED);
    for (int flush = 0; flush < 4; flush++) {
      model.churn(100, 50, 100);
      node.flush(table);
    }
    node.settle(table);
    assertThat(node.bean("standard", "Merges")).isEqualTo(1L);
    assertThatThrownBy(
            () ->
                node.cql(
                    "ALTER TABLE ks.standard WITH compaction = {'class':"
                        + " 'io.coppice.cassandra.SplitForestCompactionStrategy',"
                        + " 'min_threshold': '4'}"))
        .hasMessageContaining("min_threshold")
        .hasMessageContaining("not understood");
  }

  @Test
  void aCanaryOverJmxLeavesTheSchemaAndTheBeanSaysTheWayBack() {
    ColumnFamilyStore table = create("canary", "{'class': 'UnifiedCompactionStrategy'}");
    String schema = table.getCompactionParametersJson();
    table.setCompactionParametersJson(
        "{\"class\":\"io.coppice.cassandra.SplitForestCompactionStrategy\",\"fanout\":\"8\"}");
    assertThat((String) node.bean("canary", "Policy")).contains("fanout=8");
    assertThat(node.bean("canary", "Configuration")).isEqualTo(schema);
    assertThatThrownBy(
            () ->
                table.setCompactionParametersJson(
                    "{\"class\":\"io.coppice.cassandra.SplitForestCompactionStrategy\","
                        + "\"__preflight__\":\"1\"}"))
        .hasMessageContaining("coppice " + PluginVersion.version() + ": ")
        .hasMessageContaining("not understood");
    table.setCompactionParametersJson((String) node.bean("canary", "Configuration"));
    assertThat(table.getCompactionParametersJson()).isEqualTo(schema);
    Node.await("the bean to leave", () -> !node.hasBean("canary"));
  }

  @Test
  void keepsEveryRowThroughMergesAndAMajorCompaction() {
    ColumnFamilyStore table = create("random", OURS);
    TableModel model = new TableModel(node, "random", SEED);
    for (int flush = 0; flush < 18; flush++) {
      model.churn(900, PARTITIONS, 1700);
      node.flush(table);
      // A merge takes all trees of its level, so level 2 exists only if merges keep up with
      // flushes.
      node.settle(table);
    }
    model.awaitExpiry();
    assertThat((long) node.bean("random", "Merges")).isPositive();
    assertThat((long) node.bean("random", "MergedBytes")).isPositive();
    assertThat(runs("random")[0]).isLessThan(4);
    assertThat(levels(table)).contains(2);
    model.verify("after merges, seed " + SEED, PARTITIONS + 10);

    table.forceMajorCompaction();
    assertThat(Node.depth(table.getLiveSSTables())).isEqualTo(1);
    assertThat(table.getLiveSSTables())
        .hasSizeGreaterThan(1)
        .allMatch(sstable -> sstable.onDiskLength() < 2 << 20);
    model.verify("after the major compaction, seed " + SEED, PARTITIONS + 10);
    node.settle(table);
    assertThat(node.bean("random", "RefusedPlans")).isEqualTo(0L);
    assertThat((String) node.bean("random", "LastDecision")).contains(" SSTables to level ");

    CoppiceStrategy strategy =
        (CoppiceStrategy) table.getCompactionStrategyManager().getStrategies().get(1).get(0);
    assertThat(strategy.decisions())
        .anyMatch(made -> made.question() == Decision.Question.NEXT && made.plan().isPresent());
    assertThat(DecisionJournal.replay(strategy.decisions(), PolicySpec::policy)).isEmpty();
  }

  @Test
  void movesSstablesThatDoNotOverlapWithoutRewritingThem() {
    ColumnFamilyStore table = create("sequential", OURS);
    TableModel model = new TableModel(node, "sequential", SEED);
    List<Integer> keys = keysByToken(table, 400);
    for (int slice = 0; slice < 8; slice++) {
      for (int key : keys.subList(slice * 50, (slice + 1) * 50)) {
        for (int row = 0; row < TableModel.ROWS; row++) {
          model.put(key, row, model.value(5000));
        }
      }
      node.flush(table);
    }
    node.settle(table);
    assertThat((long) node.bean("sequential", "Moves")).isGreaterThanOrEqualTo(4);
    assertThat(node.bean("sequential", "Merges")).isEqualTo(0L);
    assertThat(levels(table)).contains(1);
    model.verify("after moves", 400);
  }

  @Test
  void movesAndMergesInOneStep() {
    ColumnFamilyStore table = create("both", OURS);
    table.disableAutoCompaction();
    TableModel model = new TableModel(node, "both", SEED);
    List<Integer> keys = keysByToken(table, 200);
    for (int flush = 0; flush < 6; flush++) {
      List<Integer> slice =
          flush < 4 ? keys.subList(0, 50) : keys.subList(flush * 30, flush * 30 + 20);
      for (int key : slice) {
        model.put(key, 0, model.value(5000));
      }
      node.flush(table);
    }
    table.enableAutoCompaction();
    CompactionManager.instance.submitBackground(table);
    node.settle(table);
    assertThat(node.bean("both", "Moves")).isEqualTo(2L);
    assertThat(node.bean("both", "Merges")).isEqualTo(1L);
    assertThat(levels(table)).containsExactlyInAnyOrder(1);
    model.verify("after both", 200);
  }

  @Test
  void mergesWhatAnOperatorNames() {
    ColumnFamilyStore table = create("named", OURS);
    TableModel model = new TableModel(node, "named", SEED);
    for (int flush = 0; flush < 3; flush++) {
      model.churn(300, 200, 100);
      node.flush(table);
    }
    List<SSTableReader> before = new ArrayList<>(table.getLiveSSTables());
    assertThat(before).hasSize(3);
    List<SSTableReader> named = before.subList(0, 2);
    FBUtilities.waitOnFuture(
        CompactionManager.instance.submitUserDefined(
            table,
            named.stream().map(sstable -> sstable.descriptor).toList(),
            CompactionManager.getDefaultGcBefore(table, FBUtilities.nowInSeconds())));
    assertThat(table.getLiveSSTables()).hasSize(2).doesNotContainAnyElementsOf(named);
    model.awaitExpiry();
    model.verify("after a user-defined compaction", 210);
  }

  @Test
  void purgesWhatIsDeletedAndDropsWhatIsEmpty() {
    ColumnFamilyStore table = create("purged", OURS);
    TableModel model = new TableModel(node, "purged", SEED);
    for (int pk = 0; pk < 300; pk++) {
      model.put(pk, 0, model.value(100));
    }
    node.flush(table);
    for (int pk = 0; pk < 300; pk++) {
      model.deletePartition(pk);
    }
    node.flush(table);
    long deletedAt = FBUtilities.nowInSeconds();
    Node.await("gc_grace to pass", () -> FBUtilities.nowInSeconds() > deletedAt + 1);
    table.forceMajorCompaction();
    assertThat(table.getLiveSSTables()).isEmpty();
    model.verify("after purging", 310);
  }

  @Test
  void rewritesInPlaceKeepTheLevel() throws Exception {
    ColumnFamilyStore table = create("upgraded", OURS);
    TableModel model = new TableModel(node, "upgraded", SEED);
    for (int flush = 0; flush < 4; flush++) {
      model.churn(500, 200, 100);
      node.flush(table);
    }
    node.settle(table);
    assertThat(levels(table)).containsExactly(1);
    Set<SSTableReader> before = table.getLiveSSTables();
    table.sstablesRewrite(false, Long.MAX_VALUE, false, 1);
    assertThat(table.getLiveSSTables()).doesNotContainAnyElementsOf(before);
    assertThat(levels(table)).containsExactly(1);
    model.awaitExpiry();
    model.verify("after upgradesstables", 210);
  }

  @Test
  void groupsForAnticompactionNeverMixLevels() {
    ColumnFamilyStore table = create("grouped", OURS);
    TableModel model = new TableModel(node, "grouped", SEED);
    for (int flush = 0; flush < 7; flush++) {
      model.churn(500, 125, 1600);
      node.flush(table);
      // A late merge would take all seven trees and leave one level.
      node.settle(table);
    }
    assertThat(levels(table)).hasSizeGreaterThan(1);
    Collection<Collection<SSTableReader>> groups =
        table
            .getCompactionStrategyManager()
            .groupSSTablesForAntiCompaction(table.getLiveSSTables());
    assertThat(groups)
        .allMatch(
            group -> group.stream().map(SSTableReader::getSSTableLevel).distinct().count() == 1);
    assertThat(groups.stream().mapToInt(Collection::size).sum())
        .isEqualTo(table.getLiveSSTables().size());
  }

  @Test
  void aDroppedTableTakesItsBeanAlongAndItsSuccessorHasItsOwn() {
    ColumnFamilyStore table = create("dropped", OURS);
    TableModel model = new TableModel(node, "dropped", SEED);
    for (int flush = 0; flush < 4; flush++) {
      model.churn(200, 100, 100);
      node.flush(table);
    }
    node.settle(table);
    assertThat((long) node.bean("dropped", "Merges")).isPositive();
    node.cql("DROP TABLE ks.dropped");
    create("dropped", OURS);
    assertThat(node.bean("dropped", "Merges")).isEqualTo(0L);
    TableState state =
        TableRegistry.all().stream()
            .filter(one -> one.name().equals("dropped"))
            .findAny()
            .orElseThrow();
    assertThat(StrategyBean.snapshotOf(state).backlog().freeBytes()).isPositive();
    node.cql("DROP TABLE ks.dropped");
    assertThat(StrategyBean.snapshotOf(state).backlog().freeBytes()).isEqualTo(-1);
    assertThat(new TableStatsSampler(state).now().liveBytes()).isZero();
    Node.await("the bean to go", () -> !node.hasBean("dropped"));
    LifecycleTransaction.waitForDeletions();
  }

  @Test
  void aTableThatLeftUsIsForgottenOnceItIsGone() {
    ColumnFamilyStore table = create("left", OURS);
    alter("left", "{'class': 'SizeTieredCompactionStrategy'}");
    Node.await("the bean to go", () -> !node.hasBean("left"));
    assertThat(TableRegistry.known(table)).as("it may come back").isNotNull();
    node.cql("DROP TABLE ks.left");
    create("another", OURS);
    assertThat(TableRegistry.known(table)).isNull();
    assertThat(TableRegistry.known(node.table("ks", "another"))).isNotNull();
  }

  @Test
  void theRunsOfRepairsUnderWayDoNotHideEachOther() throws IOException {
    ColumnFamilyStore table = create("repairs", OURS);
    table.disableAutoCompaction();
    TableModel model = new TableModel(node, "repairs", SEED);
    List<TimeUUID> sessions =
        List.of(TimeUUID.Generator.nextTimeUUID(), TimeUUID.Generator.nextTimeUUID());
    for (TimeUUID session : sessions) {
      model.churn(50, 50, 100);
      node.flush(table);
      List<SSTableReader> flushed =
          table.getLiveSSTables().stream().filter(sstable -> !sstable.isPendingRepair()).toList();
      table.getCompactionStrategyManager().mutateRepaired(flushed, 0, session, false);
    }
    assertThat(StrategyBean.snapshotOf(TableRegistry.known(table)).runs())
        .hasSize(2)
        .anyMatch(run -> run.part().startsWith("pending " + sessions.get(0) + " /"))
        .anyMatch(run -> run.part().startsWith("pending " + sessions.get(1) + " /"));
  }

  /** As where a data directory has been taken away, and its files belong to another's instance. */
  @Test
  void partsThatWouldHaveOneNameAreNumbered() {
    ColumnFamilyStore table = create("numbered", OURS);
    table.disableAutoCompaction();
    new TableModel(node, "numbered", SEED).churn(50, 50, 100);
    node.flush(table);
    CoppiceStrategy instance =
        (CoppiceStrategy) table.getCompactionStrategyManager().getStrategies().get(1).get(0);
    Set<String> taken = new HashSet<>();
    List<String> parts = new ArrayList<>();
    for (int i = 0; i < 3; i++) {
      instance.status(taken).runs().forEach(run -> parts.add(run.part()));
    }
    String name = parts.get(0);
    assertThat(name).startsWith("unrepaired /");
    assertThat(parts).containsExactly(name, name + " (2)", name + " (3)");
  }

  @Test
  void rewritesAnSstableForItsTombstonesAloneWhenNothingElseIsToDo() {
    rewriteForTombstones("tombs", List.of());
    assertThat(kinds("tombs")).containsExactly(OperationType.TOMBSTONE_COMPACTION.type);
  }

  /** Cassandra tells an index in no other kind of compaction that rows go. */
  @Test
  void aRewriteForTombstonesIsOfTheUsualKindWhereAnIndexWantsToSeeRowsGo() {
    rewriteForTombstones("wanted", List.of("CREATE INDEX ON ks.wanted (v)"));
    assertThat(kinds("wanted")).containsExactly(OperationType.COMPACTION.type);
    rewriteForTombstones("unwanted", List.of("CREATE INDEX ON ks.unwanted (v) USING 'sai'"));
    assertThat(kinds("unwanted")).containsExactly(OperationType.TOMBSTONE_COMPACTION.type);
  }

  private static void rewriteForTombstones(String name, List<String> indexes) {
    ColumnFamilyStore table =
        create(
            name,
            "{'class': 'io.coppice.cassandra.SplitForestCompactionStrategy',"
                + " 'tombstone_threshold': '0.1', 'tombstone_compaction_interval': '0'}");
    table.disableAutoCompaction();
    indexes.forEach(node::cql);
    // Until then the node flushes the table by itself, and there would be another SSTable.
    node.awaitIndexes(table);
    TableModel model = new TableModel(node, name, SEED);
    for (int pk = 0; pk < 100; pk++) {
      model.put(pk, 0, "stays");
      model.delete(pk, 1);
    }
    node.flush(table);
    long deletedAt = FBUtilities.nowInSeconds();
    Node.await("gc_grace to pass", () -> FBUtilities.nowInSeconds() > deletedAt + 1);
    table.enableAutoCompaction();
    CompactionManager.instance.submitBackground(table);
    Node.await("a merge", () -> (long) node.bean(name, "Merges") == 1);
    assertThat((String) node.bean(name, "LastDecision")).contains("there is something to purge");
    node.settle(table);
    assertThat(table.getLiveSSTables())
        .hasSize(1)
        .allMatch(
            sstable ->
                sstable.getSSTableMetadata().getDroppableTombstonesBefore(Long.MAX_VALUE) == 0);
    model.verify("after its tombstones went", 110);
  }

  /** What Cassandra's history calls the compactions of a table. */
  private static Set<String> kinds(String table) {
    Set<String> kinds = new HashSet<>();
    for (UntypedResultSet.Row row :
        node.run(
            "SELECT columnfamily_name, compaction_properties FROM system.compaction_history")) {
      if (row.getString("columnfamily_name").equals(table)) {
        kinds.add(
            row.getMap("compaction_properties", UTF8Type.instance, UTF8Type.instance)
                .get(CompactionHistoryTabularData.COMPACTION_TYPE_PROPERTY));
      }
    }
    return kinds;
  }

  @Test
  void aMajorCompactionPurgesAnSstableThatLiesAlone() {
    ColumnFamilyStore table = create("alone", OURS);
    for (int pk = 0; pk < 100; pk++) {
      node.run("DELETE FROM ks.alone WHERE pk = ?", pk);
    }
    node.flush(table);
    long deletedAt = FBUtilities.nowInSeconds();
    Node.await("gc_grace to pass", () -> FBUtilities.nowInSeconds() > deletedAt + 1);
    table.forceMajorCompaction();
    assertThat(table.getLiveSSTables()).isEmpty();
  }

  @Test
  void repairedAndUnrepairedSstablesAreNeverMixed() throws Exception {
    ColumnFamilyStore table = create("repaired", OURS);
    TableModel model = new TableModel(node, "repaired", SEED);
    for (int flush = 0; flush < 4; flush++) {
      model.churn(300, 200, 100);
      node.flush(table);
    }
    node.settle(table);
    table
        .getCompactionStrategyManager()
        .mutateRepaired(table.getLiveSSTables(), 1_000_000, null, false);
    for (int flush = 0; flush < 7; flush++) {
      model.churn(300, 200, 100);
      node.flush(table);
    }
    node.settle(table);
    table.forceMajorCompaction();
    assertThat(table.getLiveSSTables().stream().map(SSTableReader::isRepaired))
        .containsExactlyInAnyOrder(true, false);
    assertThat(runs("repaired")).containsExactly(0, 2);
    model.awaitExpiry();
    model.verify("after repair", 210);
  }

  @Test
  void scannersReadWhatOneForEachSstableWouldRead() throws Exception {
    ColumnFamilyStore table = create("scanned", OURS);
    table.disableAutoCompaction();
    TableModel model = new TableModel(node, "scanned", SEED);
    List<Integer> keys = keysByToken(table, 200);
    for (int flush = 0; flush < 6; flush++) {
      int from = flush % 3 * 50;
      for (int key : keys.subList(from, from + 60)) {
        model.put(key, 0, model.value(100));
      }
      node.flush(table);
    }
    Set<SSTableReader> sstables = table.getLiveSSTables();
    Token low = table.getPartitioner().getToken(Int32Type.instance.decompose(keys.get(40)));
    Token high = table.getPartitioner().getToken(Int32Type.instance.decompose(keys.get(120)));
    Range<Token> range = new Range<>(low, high);
    List<DecoratedKey> expected = new ArrayList<>();
    for (SSTableReader sstable : sstables) {
      try (ISSTableScanner scanner = sstable.getScanner(List.of(range))) {
        read(scanner, expected);
      }
    }
    List<DecoratedKey> found = new ArrayList<>();
    try (var scanners =
        table.getCompactionStrategyManager().getScanners(sstables, List.of(range))) {
      assertThat(scanners.scanners).hasSize(Node.depth(sstables)).hasSizeLessThan(6);
      for (ISSTableScanner scanner : scanners.scanners) {
        List<DecoratedKey> run = new ArrayList<>();
        read(scanner, run);
        assertThat(run).isSorted();
        found.addAll(run);
        assertThat(scanner.getBytesScanned()).isPositive();
      }
    }
    assertThat(found).isNotEmpty().containsExactlyInAnyOrderElementsOf(expected);
  }

  private static void read(ISSTableScanner scanner, List<DecoratedKey> keys) {
    while (scanner.hasNext()) {
      try (UnfilteredRowIterator partition = scanner.next()) {
        keys.add(partition.partitionKey());
        partition.forEachRemaining(row -> {});
      }
    }
  }

  @Test
  void anIllegalPlanIsCountedAndLoggedOnceAndNotCarriedOut() {
    ColumnFamilyStore table =
        create("illegal", "{'class': 'io.coppice.cassandra.sstable.IllegalPlanStrategy'}");
    TableModel model = new TableModel(node, "illegal", SEED);
    for (int flush = 0; flush < 5; flush++) {
      model.churn(50, 50, 100);
      node.flush(table);
    }
    Node.await("plans to be refused", () -> (long) node.bean("illegal", "RefusedPlans") > 1);
    assertThat(table.getLiveSSTables()).hasSize(5);
    assertThat((String) node.bean("illegal", "LastDecision"))
        .contains("refused", "slice 999 is not in the shape");
    table.forceMajorCompaction();
    assertThat(table.getLiveSSTables()).as("it asks no policy").hasSize(1);
    assertThat(node.complaints())
        .filteredOn(line -> line.contains("ks.illegal"))
        .hasSize(2)
        .anyMatch(line -> line.contains("breaks law 2"))
        .as("nor does it keep Cassandra from asking")
        .anyMatch(line -> line.contains("cannot be projected"));
  }

  @Test
  void reportsThatComeTwiceOrOutOfPlaceLeaveTheSetExact() {
    ColumnFamilyStore table = create("reports", OURS);
    TableModel model = new TableModel(node, "reports", SEED);
    for (int flush = 0; flush < 3; flush++) {
      model.churn(50, 50, 100);
      node.flush(table);
    }
    CoppiceStrategy strategy =
        (CoppiceStrategy) table.getCompactionStrategyManager().getStrategies().get(1).get(0);
    Set<SSTableReader> all = table.getLiveSSTables();
    SSTableReader one = all.iterator().next();
    assertThat(strategy.getSSTables()).isEqualTo(all).hasSize(3);

    strategy.addSSTables(all);
    strategy.replaceSSTables(Set.of(one), Set.of(one));
    assertThat(strategy.getSSTables()).isEqualTo(all);

    strategy.removeSSTables(List.of(one));
    strategy.removeSSTable(one);
    strategy.metadataChanged(one.getSSTableMetadata(), one);
    assertThat(strategy.getSSTables()).hasSize(2).doesNotContain(one);

    strategy.replaceSSTables(Set.of(one), Set.of());
    strategy.addSSTable(one);
    assertThat(strategy.getSSTables()).isEqualTo(all);
  }

  @Test
  void aTableIsDrawnAnewOnceAnythingOfItHasChangedAndNotBefore() {
    ColumnFamilyStore table = create("looked", OURS);
    table.disableAutoCompaction();
    TableModel model = new TableModel(node, "looked", SEED);
    for (int flush = 0; flush < 3; flush++) {
      model.churn(50, 50, 100);
      node.flush(table);
    }
    SSTableInventory inventory = new SSTableInventory();
    table.getLiveSSTables().forEach(inventory::add);
    SSTableReader one = table.getLiveSSTables().iterator().next();
    AtomicBoolean putAside = new AtomicBoolean();
    Supplier<SSTableInventory.Snapshot> snapshots =
        () ->
            inventory.snapshot(
                table.getTracker().getView(),
                List.of(),
                sstable -> putAside.get() && sstable.equals(one));
    SSTableInventory.Snapshot first = snapshots.get();
    assertThat(first.free()).hasSize(3);
    assertThat(snapshots.get()).isSameAs(first);

    putAside.set(true);
    assertThat(snapshots.get().free()).hasSize(2);
    putAside.set(false);
    assertThat(snapshots.get().free()).hasSize(3);
    inventory.remove(one);
    assertThat(snapshots.get().readers()).hasSize(2);
    inventory.renew(one);
    assertThat(snapshots.get().readers()).hasSize(2);
    inventory.add(one);
    assertThat(snapshots.get().readers()).hasSize(3);

    try (LifecycleTransaction claim = table.getTracker().tryModify(one, OperationType.COMPACTION)) {
      assertThat(claim.originals()).containsExactly(one);
      assertThat(snapshots.get().free()).hasSize(2);
      assertThat(snapshots.get().shape().runningPlans()).isEmpty();
      inventory.started(1, claim.originals());
      assertThat(snapshots.get().shape().runningPlans()).hasSize(1);
      assertThat(snapshots.get()).isSameAs(snapshots.get());
    }
    assertThat(snapshots.get().free()).hasSize(3);
    assertThat(snapshots.get().shape().runningPlans()).isEmpty();

    model.churn(50, 50, 100);
    node.flush(table);
    SSTableInventory.Snapshot flushed = snapshots.get();
    assertThat(flushed).isNotSameAs(first);
    one.markSuspect();
    assertThat(snapshots.get().readers()).hasSize(2);
    one.unmarkSuspect();
  }

  private static String adaptive(String more) {
    return "{'class': 'io.coppice.cassandra.CoppiceCompactionStrategy', 'policy': 'adaptive',"
        + " 'table_size': '1MiB', "
        + more
        + "}";
  }

  private static long rung(String table) {
    return PolicySpec.parse((String) node.bean(table, "Policy"), CqlOptions.LIMITS).value("rung");
  }

  /** A tuner of the test's own, for which an hour is nothing; the node's waits for its dwell. */
  private static final class Hours {
    private final TableTuner tuner;
    private final List<RungSwitch> switches = new ArrayList<>();
    private long nanos;

    Hours(ColumnFamilyStore table) {
      tuner = new TableTuner(TableRegistry.known(table), switches::add);
      tuner.takeSample(nanos);
    }

    /** Lets the dwell pass, and then a second with a load. */
    void live(Runnable load) {
      nanos += TimeUnit.HOURS.toNanos(1);
      tuner.takeSample(nanos);
      load.run();
      nanos += TimeUnit.SECONDS.toNanos(1);
      tuner.takeSample(nanos);
    }
  }

  @Test
  void anAdaptiveTableTakesTheRungThatItsMetricsAskFor() {
    ColumnFamilyStore table =
        create("follows", adaptive("'rung': '1', 'window': '1', 'dwell': '3600'"));
    String configured = (String) node.bean("follows", "ConfiguredPolicy");
    TableModel model = new TableModel(node, "follows", SEED);
    Hours hours = new Hours(table);
    for (int hour = 0; hour < 6; hour++) {
      hours.live(
          () -> {
            for (int flush = 0; flush < 8; flush++) {
              model.churn(100, 500, 4000);
              node.flush(table);
            }
          });
    }
    assertThat(rung("follows")).as("write-heavy").isGreaterThanOrEqualTo(3);
    int written = hours.switches.size();
    for (int hour = 0; hour < 5; hour++) {
      hours.live(
          () -> {
            for (int i = 0; i < 500; i++) {
              node.run("SELECT v FROM ks.follows WHERE pk = ?", i);
              node.run("SELECT v FROM ks.follows WHERE token(pk) > ? LIMIT 3", i * 1_000_003L);
            }
          });
    }
    assertThat(rung("follows")).as("scan-heavy").isLessThanOrEqualTo(2);
    assertThat(hours.switches).hasSizeGreaterThan(written).allMatch(RungSwitch::again);
    assertThat(hours.tuner.budget().remaining()).isLessThan(Long.MAX_VALUE);

    // An operator's choice counts, and has its dwell.
    node.call("follows", "apply", "rung=4", "");
    hours.tuner.takeSample(hours.nanos);
    hours.live(() -> {});
    assertThat(rung("follows")).isEqualTo(4);
    assertThat(node.bean("follows", "ConfiguredPolicy")).isEqualTo(configured);
    assertThat(node.call("follows", "revert")).isEqualTo(configured);
    node.settle(table);
    model.awaitExpiry();
    model.verify("after its switches, seed " + SEED, 510);
    assertThat(node.bean("follows", "RefusedPlans")).isEqualTo(0L);
  }

  private static String shards(String table) {
    String policy = (String) node.bean(table, "Policy");
    return PolicySpec.parse(policy, CqlOptions.LIMITS).texts().get("shards");
  }

  @Test
  void shardsOfATableHaveRungsOfTheirOwn() throws Exception {
    ColumnFamilyStore table =
        create("parted", adaptive("'shards': '61', 'adapt': 'false', 'rung': '4'"));
    assertThat(shards("parted")).isEqualTo("61");
    TableModel model = new TableModel(node, "parted", SEED);
    for (int flush = 0; flush < 40; flush++) {
      model.churn(100, 500, 4000);
      node.flush(table);
      node.settle(table);
    }
    PolicySpec inForce = TableRegistry.known(table).tunables().current();
    assertThat(FlushShards.count(table, inForce)).as("SSTables of a flush").isEqualTo(4);
    ShardLoad load = new ShardLoad();
    assertThat(load.sample(0, 2, table.getLiveSSTables())).as("shards").hasSize(2);
    for (int i = 0; i < 500; i++) {
      node.run("SELECT v FROM ks.parted WHERE pk = ?", i);
    }
    assertThat(load.sample(1, 2, table.getLiveSSTables()))
        .hasSize(2)
        .allMatch(shard -> shard.lookups() > 0 && shard.tableBytes() > 0);
    model.churn(100, 500, 4000);
    node.flush(table);
    assertThat(load.sample(2, 1, table.getLiveSSTables())).isEmpty();
    node.call("parted", "apply", "shards=16", "");
    model.churn(100, 500, 4000);
    node.flush(table);
    node.settle(table);
    model.awaitExpiry();
    model.verify("with shards, seed " + SEED, 510);
    assertThat(TableTuner.isWhole(table)).as("one strategy plans all").isTrue();
    SSTableReader any = table.getLiveSSTables().iterator().next();
    table.getCompactionStrategyManager().mutateRepaired(List.of(any), 1_000_000, null, false);
    assertThat(TableTuner.isWhole(table)).as("with a repaired SSTable").isFalse();
    assertThat(node.bean("parted", "RefusedPlans")).isEqualTo(0L);
    assertThat(TableRegistry.known(table).counter("FailedPlans")).isZero();
  }

  @Test
  void flushesTellHowOftenKeysAreWrittenAgain() {
    ColumnFamilyStore table = create("again", OURS);
    FlushCounts counts = FlushCounts.of(table.getTracker());
    for (int i = 0; i < 60; i++) {
      node.run("INSERT INTO ks.again (pk, ck, v) VALUES (?, ?, ?)", i % 10, i % 20, "v" + i);
    }
    node.run("DELETE FROM ks.again WHERE pk = ?", 99);
    node.flush(table);
    assertThat(counts.sealedEntries()).isEqualTo(61);
    assertThat(counts.flushedEntries()).as("20 rows; 10 partitions and one deleted").isEqualTo(20);
    for (int i = 0; i < 30; i++) {
      node.run("DELETE FROM ks.again WHERE pk = ?", 1000 + i);
    }
    node.flush(table);
    assertThat(counts.sealedEntries()).isEqualTo(91);
    assertThat(counts.flushedEntries()).as("deletions of partitions are no rows").isEqualTo(50);
    // What compactions add is no flush.
    table.forceMajorCompaction();
    assertThat(counts.sealedEntries()).isEqualTo(91);
  }

  @Test
  void everyMemtableBetweenTwoSamplesCountsAsWritten() {
    ColumnFamilyStore table = create("bytes", OURS);
    FlushCounts counts = FlushCounts.of(table.getTracker());
    insertTen();
    long ofOne = counts.writtenBytes(table.getTracker().getView());
    assertThat(ofOne).as("a memtable that is not flushed").isGreaterThan(10 * 1000);
    for (int flush = 0; flush < 5; flush++) {
      node.flush(table);
      insertTen();
    }
    assertThat(counts.writtenBytes(table.getTracker().getView())).isEqualTo(6 * ofOne);
    node.flush(table);
    table.forceMajorCompaction();
    assertThat(counts.writtenBytes(table.getTracker().getView())).isEqualTo(6 * ofOne);
  }

  private static void insertTen() {
    for (int i = 0; i < 10; i++) {
      node.run("INSERT INTO ks.bytes (pk, ck, v) VALUES (?, ?, ?)", i, i, "v".repeat(1000));
    }
  }

  @Test
  void theNodeItselfTurnsTheRung() throws Exception {
    ColumnFamilyStore table = create("turns", adaptive("'rung': '1', 'window': '1', 'dwell': '1'"));
    TableModel model = new TableModel(node, "turns", SEED);
    Node.await(
        "the rung to turn",
        () -> {
          // The rate of the writes decides, so most of the time goes into writes.
          model.churn(1000, 500, 4000);
          node.flush(table);
          return rung("turns") > 1;
        });
    assertThat((String) node.bean("turns", "ConfiguredPolicy")).contains("rung=1");
    assertThat(TableRegistry.known(table).counter("Switches")).isPositive();
    assertThat(TableRegistry.known(table).counts().decisions())
        .anyMatch(
            one -> one.kind().equals("switch") && one.sentence().contains("are write-heavy and"));
    node.settle(table);
    alter("turns", OURS);
    alter("turns", adaptive("'rung': '0', 'adapt': 'false'"));
    assertThat(rung("turns")).isZero();
    node.settle(table);
    model.awaitExpiry();
    model.verify("after the node's switches, seed " + SEED, 510);
  }

  @Test
  void anythingAtOnceLosesNothing() throws Exception {
    ColumnFamilyStore table = create("busy", OURS);
    TableModel model = new TableModel(node, "busy", SEED);
    AtomicBoolean writing = new AtomicBoolean(true);
    AtomicReference<Throwable> failure = new AtomicReference<>();
    Thread operator = new Thread(() -> disturb(table, writing, failure), "operator");
    operator.start();
    for (int flush = 0; flush < 20; flush++) {
      model.churn(400, 500, 300);
      node.flush(table);
    }
    writing.set(false);
    operator.join();
    assertThat(failure.get()).isNull();
    alter("busy", OURS);
    node.settle(table);
    model.awaitExpiry();
    model.verify("after all at once, seed " + SEED, 510);
    assertThat(node.bean("busy", "RefusedPlans")).isEqualTo(0L);
    node.cql("TRUNCATE ks.busy");
    assertThat(runs("busy")).containsExactly(0);
  }

  private static void disturb(
      ColumnFamilyStore table, AtomicBoolean writing, AtomicReference<Throwable> failure) {
    Random random = new Random(SEED);
    try {
      while (writing.get()) {
        switch (random.nextInt(5)) {
          case 0 -> table.forceMajorCompaction();
          case 1 -> alter("busy", any(random));
          case 2 -> table.sstablesRewrite(false, Long.MAX_VALUE, false, 1);
          case 3 -> table.forceCleanup(1);
          default -> {
            String named =
                table.getLiveSSTables().stream()
                    .limit(2)
                    .map(sstable -> sstable.descriptor.fileFor(Components.DATA).absolutePath())
                    .collect(Collectors.joining(","));
            if (!named.isEmpty()) {
              CompactionManager.instance.forceUserDefinedCompaction(named);
            }
          }
        }
        node.bean("busy", "RunsPerLevel");
      }
    } catch (Throwable e) {
      failure.set(e);
    }
  }

  /** Any policy, by the class that takes them all. */
  private static String any(Random random) {
    List<String> policies = PolicySpec.policyNames();
    return "{'class': 'io.coppice.cassandra.CoppiceCompactionStrategy', 'table_size': '1MiB',"
        + " 'policy': '"
        + policies.get(random.nextInt(policies.size()))
        + "'}";
  }

  private static ColumnFamilyStore create(String table, String compaction) {
    node.cql(TableModel.create(table, compaction));
    return node.table("ks", table);
  }

  private static void alter(String table, String compaction) {
    node.cql("ALTER TABLE ks." + table + " WITH compaction = " + compaction);
  }

  private static Integer[] runs(String table) {
    return (Integer[]) node.bean(table, "RunsPerLevel");
  }

  private static Set<Integer> levels(ColumnFamilyStore table) {
    return table.getLiveSSTables().stream()
        .map(SSTableReader::getSSTableLevel)
        .collect(Collectors.toSet());
  }

  /** Keys 0 to the bound, by ascending token. */
  private static List<Integer> keysByToken(ColumnFamilyStore table, int keys) {
    List<Integer> sorted = new ArrayList<>();
    for (int key = 0; key < keys; key++) {
      sorted.add(key);
    }
    sorted.sort(
        Comparator.comparing(
            (Integer key) -> table.getPartitioner().getToken(Int32Type.instance.decompose(key))));
    return sorted;
  }
}
