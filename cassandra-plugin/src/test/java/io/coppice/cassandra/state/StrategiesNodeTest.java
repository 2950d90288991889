// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.cassandra.state;

import static io.coppice.cassandra.node.Strategies.ours;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;
import static org.assertj.core.api.Assertions.withinPercentage;

import com.codahale.metrics.Gauge;
import com.datastax.oss.driver.api.core.CqlSession;
import com.datastax.oss.driver.api.core.config.DefaultDriverOption;
import com.datastax.oss.driver.api.core.config.DriverConfigLoader;
import com.datastax.oss.driver.api.core.cql.Row;
import io.coppice.cassandra.CoppiceStrategy;
import io.coppice.cassandra.GroupedCompactionStrategy;
import io.coppice.cassandra.VirtualTablesPage;
import io.coppice.cassandra.merge.MergeProgress;
import io.coppice.cassandra.node.Node;
import io.coppice.cassandra.node.NodeFiles;
import io.coppice.cassandra.node.SharedNode;
import io.coppice.cassandra.node.Strategies;
import io.coppice.cassandra.node.TableModel;
import io.coppice.cassandra.sstable.CassandraCompatibility;
import io.coppice.policy.observe.CompactionMetricId;
import io.coppice.policy.observe.JmxTableMap;
import io.coppice.policy.observe.OpenRecords;
import io.coppice.policy.observe.StrategySnapshot;
import io.coppice.policy.observe.TableMap;
import io.coppice.testing.ExporterRules;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.LongStream;
import javax.management.JMException;
import javax.management.MBeanAttributeInfo;
import javax.management.MBeanServer;
import javax.management.ObjectName;
import javax.management.openmbean.CompositeData;
import jdk.jfr.Recording;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordingFile;
import org.apache.cassandra.concurrent.ScheduledExecutors;
import org.apache.cassandra.config.DatabaseDescriptor;
import org.apache.cassandra.cql3.UntypedResultSet;
import org.apache.cassandra.db.ColumnFamilyStore;
import org.apache.cassandra.db.compaction.AbstractCompactionStrategy;
import org.apache.cassandra.db.compaction.CompactionInfo;
import org.apache.cassandra.db.compaction.CompactionManager;
import org.apache.cassandra.db.compaction.LeveledCompactionStrategy;
import org.apache.cassandra.db.compaction.OperationType;
import org.apache.cassandra.db.lifecycle.LifecycleTransaction;
import org.apache.cassandra.io.sstable.format.SSTableReader;
import org.apache.cassandra.metrics.CassandraMetricsRegistry;
import org.apache.cassandra.service.StorageService;
import org.apache.cassandra.utils.FBUtilities;
import org.apache.cassandra.utils.TimeUUID;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** All strategies inside a real node: delays, reads, live tuning, sight, wrong options. */
@SharedNode
final class StrategiesNodeTest {

  private static final long SEED = Long.getLong("seed", 20261121L);
  private static final Duration PATIENCE = Duration.ofMinutes(1);
  private static final String OF_SEEN = " WHERE keyspace_name = 'ks' AND table_name = 'seen'";

  private static Node node;

  private final Random random = new Random(SEED);

  @BeforeAll
  static void startNode() {
    node = Node.shared();
  }

  @AfterAll
  static void nodeComplainedOfNothingButRefusals() {
    assertThat(node.complaints())
        .allMatch(line -> line.contains("Could not set new local compaction strategy"));
  }

  @Test
  void wrongOptionsOfAnyStrategyAreAllNamedAndTheOldStrategyStays() {
    ColumnFamilyStore table = create("refused", Strategies.STOCK.get(1));
    Map<String, List<String>> wrong =
        Map.of(
            ours("Delayed", "'vct': '65', 'vsmt': '1', 'k': '2'"),
            List.of("vct (65) must be in 0..64", "vsmt (1) must be in 2..64", "'k' is not"),
            ours("Grouped", "'groups': '17', 'log_all': '1'"),
            List.of("groups (17) must be in 2..16", "log_all (1) must be true or false"),
            ours("LazyBinomial", "'x': '11', 'max_transient_space': '200%'"),
            List.of("x (11) must be in 0..10", "max_transient_space (200%) must be in"),
            ours("Coppice", "'policy': 'delay', 'cleaning_threshold': '1001'"),
            List.of("did you mean 'delayed'?", "cleaning_threshold (1001) must be in 0..1000"));
    wrong.forEach(
        (compaction, complaints) -> {
          var byCql = assertThatThrownBy(() -> alter("refused", compaction));
          complaints.forEach(byCql::hasMessageContaining);
          String json = compaction.replace('\'', '"');
          var byJmx = assertThatThrownBy(() -> table.setCompactionParametersJson(json));
          complaints.forEach(byJmx::hasMessageContaining);
          assertThat(node.hasBean("refused")).isFalse();
          assertThat(strategy(table)).isInstanceOf(LeveledCompactionStrategy.class);
        });
    table.setCompactionParametersJson(ours("Delayed", "'vct': '9'").replace('\'', '"'));
    AbstractCompactionStrategy old = strategy(table);
    assertThatThrownBy(
            () ->
                table.setCompactionParametersJson(
                    ours("Delayed", "'vct': '99'").replace('\'', '"')))
        .hasMessageContaining("vct (99) must be in 0..64");
    assertThat(strategy(table)).isSameAs(old);
    assertThat((String) node.bean("refused", "Policy")).contains("vct=9,");
  }

  private static AbstractCompactionStrategy strategy(ColumnFamilyStore table) {
    return table.getCompactionStrategyManager().getStrategies().get(1).get(0);
  }

  @Test
  void theStatementOfTheReadmeIsUnderstood() throws IOException {
    Matcher statement =
        Pattern.compile("(?s)<!-- id: alter -->\\s*```sql\\n(.*?);\\n```")
            .matcher(Files.readString(Path.of("..", "README.md")));
    assertThat(statement.find()).isTrue();
    create("t", Strategies.STOCK.get(0));
    node.cql(statement.group(1));
    assertThat((String) node.bean("t", "Policy")).startsWith("split-forest,").contains("fanout=4");
  }

  @Test
  void theStatementsOfTheReferenceAreUnderstood() throws IOException {
    String page = Files.readString(Path.of("..", "docs", "reference", "cql.md"));
    Matcher blocks =
        Pattern.compile("(?s)<!-- id: (statements|refusal) -->\\s*```(?:sql)?\\n(.*?);?\\n```")
            .matcher(page);
    assertThat(blocks.find()).isTrue();
    String[] statements = blocks.group(2).split(";\n");
    node.cql(statements[0]);
    assertThat((String) node.bean("orders", "Policy")).startsWith("delayed,").contains("vct=12");
    node.cql(statements[1]);
    assertThat((String) node.bean("orders", "Policy")).startsWith("split-forest,");
    assertThat(blocks.find()).isTrue();
    String wrong = ours("SplitForest", "'fanout': '1'").replace("1MiB", "1KiB");
    assertThatThrownBy(() -> alter("orders", wrong))
        .hasStackTraceContaining(blocks.group(2).replaceFirst("coppice \\S+", ""));
    node.cql(statements[2]);
    Node.await("the bean to go", () -> !node.hasBean("orders"));
  }

  @Test
  void anInstanceMadeBeforeTheParametersNameItKeepsItsBean() throws Exception {
    ColumnFamilyStore table = create("quick", ours("Grouped", ""));
    alter("quick", Strategies.STOCK.get(0));
    // As Cassandra does it: the instance first, then the parameters; in between comes the look
    // whether the instance before has left.
    CoppiceStrategy made = new GroupedCompactionStrategy(table, Map.of());
    ScheduledExecutors.optionalTasks.schedule(() -> {}, 1100, TimeUnit.MILLISECONDS).get();
    assertThat(node.hasBean("quick")).isTrue();
    made.shutdown();
    Node.await("the bean to go", () -> !node.hasBean("quick"));
  }

  @Test
  void aDelayReadsAndWritesNoData() {
    ColumnFamilyStore table = create("virtual", ours("Delayed", "'l0_trigger': '2', 'vsmt': '5'"));
    TableModel model = new TableModel(node, "virtual", SEED);
    for (int flush = 0; flush < 2; flush++) {
      for (int pk = 0; pk < 50; pk++) {
        model.put(pk, flush, model.value(200));
      }
      model.deletePartition(50 + flush);
      table.disableAutoCompaction();
      node.flush(table);
    }
    Set<String> flushed = files(table);
    long written = table.metric.compactionBytesWritten.getCount();
    long compacted = CompactionManager.instance.getMetrics().bytesCompacted.getCount();
    table.enableAutoCompaction();
    node.settle(table);
    assertThat(node.bean("virtual", "Delays")).isEqualTo(1L);
    assertThat(node.bean("virtual", "Merges")).isEqualTo(0L);
    assertThat(files(table)).isEqualTo(flushed).hasSize(2);
    assertThat(table.getLiveSSTables()).allMatch(sstable -> sstable.getSSTableLevel() == 1);
    assertThat(table.metric.compactionBytesWritten.getCount()).isEqualTo(written);
    assertThat(CompactionManager.instance.getMetrics().bytesCompacted.getCount())
        .isEqualTo(compacted);
    model.verify("after a delay", 60);
    TableMap map = JmxTableMap.from((CompositeData) node.call("virtual", "tableMap")).map();
    assertThat(map.group()).as("they hang together until they are merged").containsExactly(1, 1);
    assertThat(map.parents()).containsExactly(2, 2);
    assertThat(map.entries()).containsExactly(51, 51);
    assertThat(map.deletions()).containsExactly(1, 1);
    alter("virtual", ours("SplitForest", "'fanout': '8'"));
    map = JmxTableMap.from((CompositeData) node.call("virtual", "tableMap")).map();
    assertThat(map.group()).as("two trees of a stage").containsExactly(0, 0);
    assertThat(map.parents()).containsExactly(0, 0);
  }

  private static Set<String> files(ColumnFamilyStore table) {
    return table.getLiveSSTables().stream()
        .map(sstable -> sstable.descriptor + " " + sstable.onDiskLength())
        .collect(Collectors.toSet());
  }

  @Test
  void delaysMergesByCountAndMergesByReadsAllHappen() {
    ColumnFamilyStore table =
        create(
            "delayed",
            ours(
                "Delayed",
                "'l0_trigger': '2', 'vct': '6', 'vsmt': '3', 'base_size': '1MiB', 'fanout': '2',"
                    + " 'read_cost': '1GiB', 'read_share': '100'"));
    TableModel model = new TableModel(node, "delayed", SEED);
    int partitions = 1000;
    for (int round = 0; round < 400 && !enough("delayed"); round++) {
      for (int i = 0; i < 100; i++) {
        model.put(random.nextInt(partitions), random.nextInt(TableModel.ROWS), model.value(2500));
      }
      node.flush(table);
      // Reads and merges in turn, so that it is not the machine's pace that decides who asks first.
      node.settle(table);
      for (int i = 0; i < 150; i++) {
        node.run("SELECT v FROM ks.delayed WHERE pk = ?", random.nextInt(partitions));
      }
      node.settle(table);
    }
    node.settle(table);
    assertThat(enough("delayed")).isTrue();
    assertThat(node.bean("delayed", "RefusedPlans")).isEqualTo(0L);
    model.verify("after delays and merges, seed " + SEED, partitions);
  }

  /** Ten of each kind: put off, merged by their number, merged for reads. */
  private static boolean enough(String table) {
    long forReads = (long) node.bean(table, "ReadMerges");
    return (long) node.bean(table, "Delays") >= 10
        && forReads >= 10
        && (long) node.bean(table, "Merges") - forReads >= 10;
  }

  @Test
  void flushesLargerThanATableAreCutIntoNeighbours() {
    ColumnFamilyStore table = create("cut", ours("SplitForest", ""));
    TableModel model = new TableModel(node, "cut", SEED);
    Set<SSTableReader> before = Set.of();
    for (int flush = 0; flush < 2; flush++) {
      for (int pk = 0; pk < 700; pk++) {
        model.put(pk, 0, model.value(5000));
      }
      before = table.getLiveSSTables();
      node.flush(table);
    }
    List<SSTableReader> second = new ArrayList<>(table.getLiveSSTables());
    second.removeAll(before);
    assertThat(before).hasSize(1);
    assertThat(second).hasSize(4).allMatch(sstable -> sstable.getSSTableLevel() == 0);
    assertThat(Node.depth(second)).isEqualTo(1);
    node.settle(table);
    assertThat(node.bean("cut", "Moves")).isEqualTo(0L);
    model.verify("after flushes that were cut", 700);
  }

  @Test
  void smallSstablesThatLieApartAreJoined() {
    ColumnFamilyStore table = create("small", ours("SplitForest", ""));
    TableModel model = new TableModel(node, "small", SEED);
    for (int pk = 0; pk < 40; pk++) {
      model.put(pk, 0, model.value(20));
      node.flush(table);
    }
    node.settle(table);
    assertThat(table.getLiveSSTables().size()).isLessThan(16);
    model.verify("after joining", 40);
  }

  @Test
  void sstablesInWhichAllHasExpiredAreDropped() {
    ColumnFamilyStore table = create("expired", ours("Coppice", "'policy': 'delayed'"));
    table.disableAutoCompaction();
    TableModel model = new TableModel(node, "expired", SEED);
    for (int pk = 0; pk < 50; pk++) {
      model.putBriefly(pk, 0, "soon gone");
    }
    node.flush(table);
    model.put(60, 0, "stays");
    node.flush(table);
    model.awaitExpiry();
    table.enableAutoCompaction();
    Node.await(
        "the expired SSTable to go",
        () -> {
          CompactionManager.instance.submitBackground(table);
          return table.getLiveSSTables().size() == 1;
        });
    assertThat((String) node.bean("expired", "LastDecision")).contains("has expired");
    model.verify("after expiry", 70);
  }

  @Test
  void deletionsRemoveTheRowsThatTheyHide() {
    int rows = 2400;
    List<String> policies =
        List.of(ours("LazyBinomial", ""), ours("Delayed", ""), ours("SplitForest", ""));
    for (int policy = 0; policy < policies.size(); policy++) {
      String name = "deleted" + policy;
      ColumnFamilyStore table = create(name, policies.get(policy));
      table.disableAutoCompaction();
      TableModel model = new TableModel(node, name, SEED);
      for (int pk = 0; pk < rows; pk++) {
        model.put(pk, 0, model.value(3000));
      }
      node.flush(table);
      long all = live(table);
      for (int pk = 0; pk < rows; pk++) {
        if (pk % 10 > 0 && policy == 1) {
          model.deletePartition(pk);
        } else if (pk % 10 > 0) {
          model.delete(pk, 0);
        }
      }
      node.flush(table);
      table.enableAutoCompaction();
      node.settle(table);
      assertThat(live(table)).as(policies.get(policy)).isLessThan(all / 5);
      model.verify("after deletions", rows);
    }
  }

  @Test
  void theBacklogIsAboveZeroExactlyWhileThereIsWork() {
    ColumnFamilyStore table = create("backlog", ours("Grouped", "'groups': '3'"));
    table.disableAutoCompaction();
    TableModel model = new TableModel(node, "backlog", SEED);
    long bytes = 0;
    for (int flush = 0; flush < 3; flush++) {
      assertThat(node.bean("backlog", "PendingPlans")).isEqualTo(0);
      for (int pk = 0; pk < 100; pk++) {
        model.put(pk, 0, model.value(300));
      }
      node.flush(table);
    }
    for (SSTableReader sstable : table.getLiveSSTables()) {
      bytes += sstable.onDiskLength();
    }
    Node.await("the estimate", () -> (int) node.bean("backlog", "PendingPlans") == 1);
    assertThat(node.bean("backlog", "BacklogBytes")).isEqualTo(bytes);
    StrategySnapshot.Backlog backlog = snapshot("backlog").backlog();
    assertThat(backlog.bytes()).isEqualTo(bytes);
    assertThat(backlog.liveBytes()).isEqualTo(bytes);
    assertThat(backlog.headroomBytes()).isPositive();
    table.enableAutoCompaction();
    node.settle(table);
    assertThat(node.bean("backlog", "BacklogBytes")).isEqualTo(0L);
    assertThat(node.bean("backlog", "Merges")).isEqualTo(1L);
    StrategySnapshot.Backlog none = snapshot("backlog").backlog();
    assertThat(apartFromTheDisk(none))
        .isEqualTo(new StrategySnapshot.Backlog(0, 0, 0, 0, Long.MAX_VALUE, live(table), -1));
    assertThat(none.freeBytes()).isPositive();
  }

  @Test
  void stepsOfMergesAreEventsOfTheFlightRecorder(@TempDir Path directory) throws IOException {
    ColumnFamilyStore table = create("recorded", ours("Grouped", "'groups': '3'"));
    TableModel model = new TableModel(node, "recorded", SEED);
    Path file = directory.resolve("recorded.jfr");
    try (Recording recording = new Recording()) {
      recording.enable("io.coppice.MergeStep");
      recording.start();
      for (int flush = 0; flush < 3; flush++) {
        for (int pk = 0; pk < 100; pk++) {
          model.put(pk, 0, model.value(300));
        }
        node.flush(table);
      }
      node.settle(table);
      recording.stop();
      recording.dump(file);
    }
    List<RecordedEvent> steps =
        RecordingFile.readAllEvents(file).stream()
            .filter(event -> event.getEventType().getName().equals("io.coppice.MergeStep"))
            .filter(event -> event.getString("family").equals("ks.recorded"))
            .toList();
    assertThat(steps).isNotEmpty();
    assertThat(steps)
        .allSatisfy(
            step -> {
              assertThat(step.getInt("level")).isEqualTo(1);
              assertThat(step.getLong("readBytes")).isPositive();
              assertThat(step.getString("merge")).isEqualTo(steps.get(0).getString("merge"));
              assertThat(step.getString("reason")).contains("3 become one");
            });
    assertThat(steps.stream().mapToLong(step -> step.getLong("writtenBytes")).sum())
        .isEqualTo(node.bean("recorded", "MergedBytes"));
  }

  @Test
  void theBacklogInBytesIsWhatIsCompactedUntilTheTableRests() {
    List<String> policies =
        List.of(
            ours("SplitForest", "'fanout': '2'"),
            ours("Delayed", "'l0_trigger': '2', 'vct': '3', 'base_size': '1MiB', 'fanout': '3'"),
            ours("Grouped", "'groups': '2'"),
            ours("LazyBinomial", "'k': '2'"),
            ours("Coppice", "'policy': 'leveled', 'l0_trigger': '2', 'base_size': '2MiB'"),
            ours("Coppice", "'policy': 'tiered', 'trigger': '3'"));
    for (int policy = 0; policy < policies.size(); policy++) {
      String name = "backlog" + policy;
      ColumnFamilyStore table = create(name, policies.get(policy));
      table.disableAutoCompaction();
      TableModel model = new TableModel(node, name, SEED);
      for (int flush = 0; flush < 7; flush++) {
        for (int pk = 0; pk < 200; pk++) {
          model.put(200 * flush + pk, 0, model.value(3000));
        }
        node.flush(table);
      }
      long backlog = (long) node.bean(name, "BacklogBytes");
      int plans = table.getCompactionStrategyManager().getEstimatedRemainingTasks();
      // One after the other: what two threads plan at once depends on which comes first.
      CoppiceStrategy strategy =
          (CoppiceStrategy) table.getCompactionStrategyManager().getStrategies().get(1).get(0);
      long now = FBUtilities.nowInSeconds();
      for (var task = strategy.getNextBackgroundTask(now);
          task != null;
          task = strategy.getNextBackgroundTask(now)) {
        task.execute(CompactionManager.instance.active);
      }
      long compacted = compactedBytes(name);
      assertThat(compacted).as(policies.get(policy)).isPositive();
      assertThat(backlog).as(policies.get(policy)).isCloseTo(compacted, withinPercentage(20));
      assertThat(plans).as(policies.get(policy)).isPositive();
      assertThat(node.bean(name, "BacklogBytes")).isEqualTo(0L);
    }
  }

  /** What all compactions of a table have read, by Cassandra's own history. */
  private static long compactedBytes(String table) {
    long bytes = 0;
    for (UntypedResultSet.Row row :
        node.run("SELECT columnfamily_name, bytes_in FROM system.compaction_history")) {
      bytes += row.getString("columnfamily_name").equals(table) ? row.getLong("bytes_in") : 0;
    }
    return bytes;
  }

  @Test
  void whereNoMergeFitsTheSpaceAllowedNoneIsPlannedAndThatIsSaid() {
    ColumnFamilyStore table =
        create("tight", ours("SplitForest", "'fanout': '2', 'max_transient_space': '50KiB'"));
    TableModel model = new TableModel(node, "tight", SEED);
    for (int flush = 0; flush < 2; flush++) {
      for (int pk = 0; pk < 100; pk++) {
        model.put(pk, 0, model.value(300));
      }
      node.flush(table);
    }
    Node.await(
        "the lack of space to be told",
        () -> ((String) node.bean("tight", "LastDecision")).contains("max_transient_space"));
    StrategySnapshot.Backlog backlog = snapshot("tight").backlog();
    assertThat(backlog.plans()).isEqualTo(1);
    assertThat(backlog.headroomBytes()).isGreaterThan(backlog.allowedBytes());
    assertThat(node.bean("tight", "Merges")).isEqualTo(0L);
    node.call("tight", "apply", "max_transient_space=unlimited", " ");
    node.settle(table);
    assertThat(node.bean("tight", "Merges")).isEqualTo(1L);
    model.verify("after the bound went", 100);
  }

  private static long live(ColumnFamilyStore table) {
    return table.getLiveSSTables().stream().mapToLong(SSTableReader::onDiskLength).sum();
  }

  @Test
  void whatIsTunedLiveCountsFromTheNextDecisionAndIsUndone() {
    ColumnFamilyStore table =
        create("tuned", ours("Delayed", "'l0_trigger': '2', 'base_size': '100MiB'"));
    TableModel model = new TableModel(node, "tuned", SEED);
    String before = (String) node.bean("tuned", "Policy");
    flushTwice(table, model);
    assertThat(snapshot("tuned").decisions().get(0).kind()).isEqualTo("delay");
    assertThat(snapshot("tuned").decisions().get(0).policy()).isEqualTo(before);

    assertThatThrownBy(() -> node.call("tuned", "apply", "vct=1,vsmt=99,colour=2", ""))
        .hasRootCauseInstanceOf(IllegalArgumentException.class)
        .rootCause()
        .hasMessageContaining("vsmt (99) must be in 2..64")
        .hasMessageContaining("'colour' is not understood");
    assertThat((String[]) node.call("tuned", "validate", "vct=1")).isEmpty();
    assertThat((String[]) node.call("tuned", "validate", "vct=x")).hasSize(1);
    assertThat(node.bean("tuned", "Policy")).isEqualTo(before);

    String tuned = (String) node.call("tuned", "apply", "vct=1", before);
    assertThat(tuned).isEqualTo(before.replace("vct=12", "vct=1"));
    assertThat(node.bean("tuned", "ConfiguredPolicy")).isEqualTo(before);
    flushTwice(table, model);
    StrategySnapshot.Decision merged = snapshot("tuned").decisions().get(0);
    assertThat(merged.kind()).isEqualTo("merge");
    assertThat(merged.policy()).isEqualTo(tuned);
    assertThat(tunable("tuned", "vct"))
        .isEqualTo(
            new StrategySnapshot.Tunable(
                "vct",
                "integer",
                "0..64",
                "tables",
                "12",
                "12",
                "1",
                false,
                "Merges of fewer tables are deferred; 0 defers none."));

    assertThat(node.call("tuned", "revert")).isEqualTo(before);
    flushTwice(table, model);
    assertThat(snapshot("tuned").decisions().get(0).kind()).isEqualTo("delay");
    node.call("tuned", "apply", "vct=1", "");
    alter("tuned", ours("Delayed", "'l0_trigger': '3', 'base_size': '100MiB'"));
    assertThat(tunable("tuned", "vct").current()).isEqualTo("12");
    model.verify("after tuning", 60);
  }

  private static void flushTwice(ColumnFamilyStore table, TableModel model) {
    for (int flush = 0; flush < 2; flush++) {
      for (int pk = 0; pk < 50; pk++) {
        model.put(pk, 0, model.value(100));
      }
      node.flush(table);
    }
    node.settle(table);
  }

  private static StrategySnapshot.Tunable tunable(String table, String name) {
    return snapshot(table).tunables().stream()
        .filter(one -> one.name().equals(name))
        .findFirst()
        .orElseThrow();
  }

  @Test
  void virtualTablesAndMetricsSayWhatTheSnapshotSays() throws IOException {
    ColumnFamilyStore table = create("seen", ours("SplitForest", "'fanout': '3'"));
    TableModel model = new TableModel(node, "seen", SEED);
    for (int flush = 0; flush < 8; flush++) {
      for (int i = 0; i < 300; i++) {
        model.put(random.nextInt(300), random.nextInt(TableModel.ROWS), model.value(500));
      }
      node.flush(table);
    }
    node.settle(table);
    for (int pk = 0; pk < 100; pk++) {
      node.run("SELECT v FROM ks.seen WHERE pk = ?", pk);
    }
    StrategySnapshot snapshot = snapshot("seen");
    assertThat(snapshot.runs()).isNotEmpty().allMatch(run -> run.part().startsWith("unrepaired /"));
    assertThat(snapshot.decisions()).isNotEmpty();
    assertThat(snapshot.amplification().write()).isGreaterThan(1);
    assertThat(snapshot.counter("Flushes")).isGreaterThanOrEqualTo(8);
    assertThat(snapshot.counter("Reads")).isGreaterThanOrEqualTo(100);
    mapShows(table);
    DatabaseDescriptor.setNativeTransportPort(NodeFiles.freePort());
    StorageService.instance.startNativeTransport();
    try (CqlSession client = client()) {
      VirtualTablesPage.check(client);
      assertThat(rows(client, "runs", StrategiesNodeTest::run)).isEqualTo(snapshot.runs());
      assertThat(rows(client, "levels", StrategiesNodeTest::level)).isEqualTo(levels(snapshot));
      assertThat(rows(client, "decisions", StrategiesNodeTest::decision))
          .isEqualTo(snapshot.decisions());
      // The mean over reads is one of counts that fade, so it may be that of now or of before.
      var seen = rows(client, "amplification", StrategiesNodeTest::amplification);
      assertThat(List.of(snapshot.amplification(), snapshot("seen").amplification()))
          .containsAll(seen);
      assertThat(rows(client, "amplification", StrategiesNodeTest::backlog))
          .containsExactly(apartFromTheDisk(snapshot.backlog()));
      assertThat(rows(client, "amplification", row -> row.getString("policy")))
          .containsExactly(snapshot.policy());
    } finally {
      StorageService.instance.stopNativeTransport(true);
    }
    assertThat(metrics("seen"))
        .containsAll(
            Arrays.stream(CompactionMetricId.values()).map(StrategiesNodeTest::seen).toList());
    theExporterFindsEachSeries("seen");
    Gauge<?> live =
        CassandraMetricsRegistry.Metrics.getGauges().get(seen(CompactionMetricId.LIVE_BYTES));
    assertThat(live.getValue()).isEqualTo(snapshot.backlog().liveBytes());
    Gauge<?> hour =
        CassandraMetricsRegistry.Metrics.getGauges()
            .get(seen(CompactionMetricId.SPACE_AMPLIFICATION_1H));
    assertThat((double) hour.getValue()).isGreaterThanOrEqualTo(1);
    assertThat(
            CassandraMetricsRegistry.Metrics.getGauges()
                .get("io.coppice.Strategy.Merges.ks.seen")
                .getValue())
        .isEqualTo(snapshot.counter("Merges"));
    node.cql("DROP TABLE ks.seen");
    Node.await("the bean to go", () -> !node.hasBean("seen") && metrics("seen").isEmpty());
    assertThat(node.cql("SELECT * FROM coppice.amplification" + OF_SEEN)).isEmpty();
  }

  @Test
  void aLookShowsWhatHasChangedSinceTheOneBefore() {
    ColumnFamilyStore table = create("looked", ours("SplitForest", "'fanout': '8'"));
    TableModel model = new TableModel(node, "looked", SEED);
    flushTwice(table, model);
    List<StrategySnapshot.Run> before = snapshot("looked").runs();
    assertThat(before).hasSize(2).allMatch(run -> run.claimedBytes() == 0);
    assertThat(snapshot("looked").runs()).isEqualTo(before);
    try (LifecycleTransaction claim =
        table.getTracker().tryModify(table.getLiveSSTables(), OperationType.COMPACTION)) {
      assertThat(snapshot("looked").runs()).allMatch(run -> run.claimedBytes() == run.bytes());
      claim.abort();
    }
    assertThat(snapshot("looked").runs()).isEqualTo(before);
    flushTwice(table, model);
    assertThat(snapshot("looked").runs()).hasSize(4);
  }

  @Test
  void flushesCountByWhatTheyTakeOnDiskAndOnlyThoseSinceThePolicyIsOurs() {
    node.cql(
        "CREATE TABLE ks.pressed (pk int, ck int, v text, PRIMARY KEY (pk, ck)) WITH compression ="
            + " {'class': 'LZ4Compressor'} AND compaction = {'class':"
            + " 'UnifiedCompactionStrategy'}");
    ColumnFamilyStore table = node.table("ks", "pressed");
    TableModel model = new TableModel(node, "pressed", SEED);
    for (int stock = 0; stock < 5; stock++) {
      flushAlike(table, model);
    }
    node.settle(table);
    alter("pressed", ours("SplitForest", "'fanout': '8'"));
    node.flush(table);
    StrategySnapshot before = snapshot("pressed");
    // Cassandra begins a memtable with each ALTER TABLE, and counts the empty one.
    assertThat(before.counter("Flushes")).isLessThanOrEqualTo(2);
    assertThat(before.amplification().flushedBytes()).isZero();
    Set<SSTableReader> stock = table.getLiveSSTables();
    flushAlike(table, model);
    Set<SSTableReader> ours = new HashSet<>(table.getLiveSSTables());
    ours.removeAll(stock);
    long onDisk = ours.stream().mapToLong(SSTableReader::onDiskLength).sum();
    assertThat(ours.stream().mapToLong(SSTableReader::uncompressedLength).sum())
        .isGreaterThan(4 * onDisk);
    StrategySnapshot after = snapshot("pressed");
    assertThat(after.counter("Flushes")).isEqualTo(before.counter("Flushes") + 1);
    assertThat(after.amplification().flushedBytes()).isCloseTo(onDisk, withinPercentage(20));
    alter("pressed", "{'class': 'UnifiedCompactionStrategy'}");
    // It stays for some seconds, as an instance of ours may come in the place of another.
    Node.await("the bean to go", () -> !node.hasBean("pressed"));
    flushAlike(table, model);
    alter("pressed", ours("SplitForest", "'fanout': '8'"));
    assertThat(snapshot("pressed").amplification().flushedBytes())
        .as("without the flush under the other strategy")
        .isEqualTo(after.amplification().flushedBytes());
  }

  private static void flushAlike(ColumnFamilyStore table, TableModel model) {
    for (int pk = 0; pk < 200; pk++) {
      model.put(pk, 0, "alike ".repeat(300));
    }
    node.flush(table);
  }

  private static String seen(CompactionMetricId metric) {
    return "io.coppice.Strategy." + metric.label() + ".ks.seen";
  }

  /** The picture has each SSTable once, where it lies on the ring. */
  private static void mapShows(ColumnFamilyStore table) {
    TableMap map = JmxTableMap.from((CompositeData) node.call(table.name, "tableMap")).map();
    assertThat(map.size()).isEqualTo(table.getLiveSSTables().size());
    assertThat(LongStream.of(map.bytes()).sum())
        .isEqualTo(table.getLiveSSTables().stream().mapToLong(SSTableReader::onDiskLength).sum());
    assertThat(map.merges()).isEmpty();
    for (int i = 0; i < map.size(); i++) {
      assertThat(map.low()[i]).isBetween(0.0, map.high()[i]);
      assertThat(map.high()[i]).isBetween(map.low()[i], 1.0);
      double token = Long.parseLong(map.lowKeys().get(i)) * 0x1p-64 + 0.5;
      assertThat(map.low()[i]).isCloseTo(token, within(1e-6));
    }
    assertThat(node.call(table.name, "stopMerge", "none")).isEqualTo(false);
  }

  /** Whoever stops one is to know what is lost; of a merge nothing is, even before it begins. */
  @Test
  void thePictureTellsMergesFromTasksOfCassandra() {
    ColumnFamilyStore table = create("tasks", ours("SplitForest", "'fanout': '3'"));
    flushTwice(table, new TableModel(node, "tasks", SEED));
    Set<SSTableReader> sstables = table.getLiveSSTables();
    TimeUUID id = TimeUUID.Generator.nextTimeUUID();
    MergeProgress waiting = new MergeProgress(table.metadata, OperationType.COMPACTION, id);
    waiting.claimed(sstables);
    CompactionInfo.Holder cleanup =
        new CompactionInfo.Holder() {
          @Override
          public CompactionInfo getCompactionInfo() {
            TimeUUID own = TimeUUID.Generator.nextTimeUUID();
            return CassandraCompatibility.info(
                table.metadata(), OperationType.CLEANUP, 1, 2, 2, own, sstables, null);
          }

          @Override
          public boolean isGlobal() {
            return false;
          }
        };
    List<CompactionInfo.Holder> holders = List.of(waiting, cleanup);
    holders.forEach(CompactionManager.instance.active::beginCompaction);
    try {
      TableMap map = JmxTableMap.from((CompositeData) node.call("tasks", "tableMap")).map();
      Map<String, String> codes =
          map.merges().stream()
              .collect(Collectors.toMap(TableMap.Merge::sentence, TableMap.Merge::code));
      assertThat(codes)
          .hasSize(2)
          .containsEntry(OperationType.COMPACTION.toString(), "merge")
          .containsEntry(OperationType.CLEANUP.toString(), "compaction");
    } finally {
      holders.forEach(CompactionManager.instance.active::finishCompaction);
    }
  }

  private static CqlSession client() {
    return CqlSession.builder()
        .addContactPoint(
            new InetSocketAddress("127.0.0.1", DatabaseDescriptor.getNativeTransportPort()))
        .withLocalDatacenter("datacenter1")
        .withConfigLoader(
            DriverConfigLoader.programmaticBuilder()
                .withDuration(DefaultDriverOption.REQUEST_TIMEOUT, PATIENCE)
                .withDuration(DefaultDriverOption.CONNECTION_INIT_QUERY_TIMEOUT, PATIENCE)
                .withDuration(DefaultDriverOption.CONTROL_CONNECTION_TIMEOUT, PATIENCE)
                .build())
        .build();
  }

  private static <T> List<T> rows(CqlSession client, String table, Function<Row, T> read) {
    return client.execute("SELECT * FROM coppice." + table + OF_SEEN).all().stream()
        .map(read)
        .toList();
  }

  private static StrategySnapshot.Run run(Row row) {
    return new StrategySnapshot.Run(
        row.getString("part"),
        row.getInt("level"),
        row.getInt("run"),
        row.getInt("sstables"),
        row.getLong("bytes"),
        row.getLong("entries"),
        row.getLong("compacting_bytes"),
        row.getString("left_token"),
        row.getString("right_token"),
        row.getLong("min_timestamp"),
        row.getLong("max_timestamp"),
        row.getDouble("droppable_ratio"));
  }

  private static StrategySnapshot.Decision decision(Row row) {
    return new StrategySnapshot.Decision(
        row.getLong("id"),
        row.getInstant("at").toEpochMilli(),
        row.getString("kind"),
        row.getString("reason_code"),
        row.getString("sentence"),
        row.getInt("sstables"),
        row.getLong("input_bytes"),
        row.getInt("target_level"),
        row.getLong("forecast_bytes"),
        row.getString("policy"));
  }

  private static StrategySnapshot.Amplification amplification(Row row) {
    return new StrategySnapshot.Amplification(
        row.getDouble("write"),
        row.getDouble("sstables_per_read"),
        row.getLong("flushed_bytes"),
        row.getLong("merged_bytes"));
  }

  private static StrategySnapshot.Backlog backlog(Row row) {
    return new StrategySnapshot.Backlog(
        row.getInt("backlog_plans"),
        row.getLong("backlog_bytes"),
        row.getLong("backlog_seconds"),
        row.getLong("headroom_needed_bytes"),
        row.getLong("headroom_allowed_bytes"),
        row.getLong("live_bytes"),
        -1);
  }

  /** What the disk has left is another number a moment later, and is not in the table. */
  private static StrategySnapshot.Backlog apartFromTheDisk(StrategySnapshot.Backlog backlog) {
    return new StrategySnapshot.Backlog(
        backlog.plans(),
        backlog.bytes(),
        backlog.seconds(),
        backlog.headroomBytes(),
        backlog.allowedBytes(),
        backlog.liveBytes(),
        -1);
  }

  private record Level(String part, int level, int runs, int sstables, long bytes, long claimed) {

    Level and(Level other) {
      return new Level(
          part,
          level,
          runs + other.runs,
          sstables + other.sstables,
          bytes + other.bytes,
          claimed + other.claimed);
    }
  }

  private static Level level(Row row) {
    return new Level(
        row.getString("part"),
        row.getInt("level"),
        row.getInt("runs"),
        row.getInt("sstables"),
        row.getLong("bytes"),
        row.getLong("compacting_bytes"));
  }

  private static List<Level> levels(StrategySnapshot snapshot) {
    Map<String, Level> levels = new TreeMap<>();
    for (StrategySnapshot.Run run : snapshot.runs()) {
      levels.merge(
          run.part() + run.level(),
          new Level(run.part(), run.level(), 1, run.tables(), run.bytes(), run.claimedBytes()),
          Level::and);
    }
    return List.copyOf(levels.values());
  }

  /** The exporter rules of {@code docker/monitoring} fit the beans of a table. */
  private static void theExporterFindsEachSeries(String table) throws IOException {
    ExporterRules rules = ExporterRules.of(ExporterRules.KIT.resolve("jmx-cassandra.yml"));
    Set<ExporterRules.Series> series = new HashSet<>();
    try {
      MBeanServer agent = ManagementFactory.getPlatformMBeanServer();
      for (String include : rules.includes()) {
        for (ObjectName bean : agent.queryNames(new ObjectName(include), null)) {
          for (MBeanAttributeInfo attribute : agent.getMBeanInfo(bean).getAttributes()) {
            rules.series(bean, attribute.getName()).ifPresent(series::add);
          }
        }
      }
    } catch (JMException e) {
      throw new AssertionError(e);
    }
    assertThat(series)
        .containsAll(
            rules.rules().stream()
                .map(
                    rule ->
                        new ExporterRules.Series(
                            rule.name(), Map.of("keyspace", "ks", "table", table)))
                .toList());
  }

  private static List<String> metrics(String table) {
    List<String> names = new ArrayList<>(CassandraMetricsRegistry.Metrics.getNames());
    names.removeIf(name -> !name.startsWith("io.coppice") || !name.endsWith(".ks." + table));
    Collections.sort(names);
    return names;
  }

  private static StrategySnapshot snapshot(String table) {
    return OpenRecords.read((CompositeData) node.call(table, "snapshot"), StrategySnapshot.class);
  }

  private static ColumnFamilyStore create(String table, String compaction) {
    node.cql(TableModel.create(table, compaction));
    return node.table("ks", table);
  }

  private static void alter(String table, String compaction) {
    node.cql("ALTER TABLE ks." + table + " WITH compaction = " + compaction);
  }
}
