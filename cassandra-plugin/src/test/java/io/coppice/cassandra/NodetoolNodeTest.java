// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.cassandra;

import static org.assertj.core.api.Assertions.assertThat;

import io.coppice.cassandra.node.MergeGate;
import io.coppice.cassandra.node.Node;
import io.coppice.cassandra.node.NodeFiles;
import io.coppice.cassandra.node.OwnNode;
import io.coppice.cassandra.node.TableModel;
import io.coppice.cassandra.node.Waves;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.rmi.server.ExportException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Predicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import javax.management.remote.JMXConnectorServer;
import org.apache.cassandra.db.ColumnFamilyStore;
import org.apache.cassandra.db.compaction.CompactionManager;
import org.apache.cassandra.db.lifecycle.LifecycleTransaction;
import org.apache.cassandra.dht.Token;
import org.apache.cassandra.io.sstable.format.SSTableFormat.Components;
import org.apache.cassandra.io.sstable.format.SSTableReader;
import org.apache.cassandra.tools.INodeProbeFactory;
import org.apache.cassandra.tools.NodeProbe;
import org.apache.cassandra.tools.NodeTool;
import org.apache.cassandra.tools.Output;
import org.apache.cassandra.utils.JMXServerUtils;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Cassandra's own nodetool on a table of ours that lies in two data directories: each command does
 * what it does for any table, and every row is as it was written afterwards.
 */
@OwnNode
final class NodetoolNodeTest {

  private static final long SEED = Long.getLong("seed", 20261121L);
  private static final int PARTITIONS = 700;
  private static final int DATA_DIRECTORIES = 2;
  private static final int MORE_TRIES = 2;
  private static final String OURS =
      "{'class': 'io.coppice.cassandra.SplitForestCompactionStrategy', 'table_size': '1MiB',"
          + " 'cleaning_threshold': '1'}";

  // Steps of its merges pass a gate, which one test closes.
  private static final String GATED =
      OURS.replace("SplitForestCompactionStrategy", "node.GatedForestStrategy");

  private static Node node;
  private static JMXConnectorServer jmx;
  private static String port;
  private static ColumnFamilyStore table;
  private static Waves waves;
  private static int written;

  @BeforeAll
  static void startNode() throws IOException {
    NodeFiles files = NodeFiles.fresh("nodetool", DATA_DIRECTORIES);
    // Where nodetool remembers its commands.
    System.setProperty("user.home", files.home().toString());
    System.setProperty("coppice.node.yaml", defaultCompaction());
    node = Node.startForThisJvmOnly(files);
    openJmx();
    node.createKeyspace();
    Waves.create(node, "t", GATED);
    table = node.table("ks", "t");
    waves = new Waves(node, "t", SEED, PARTITIONS, 600, false);
    nodetool("disableautocompaction", "ks", "t");
    layer();
    nodetool("compact", "ks", "t");
  }

  /** Serves JMX as the node does for its setting of a local port; on another if one is taken. */
  private static void openJmx() throws IOException {
    for (int tries = 0; jmx == null; tries++) {
      int free = NodeFiles.freePort();
      try {
        jmx = JMXServerUtils.createJMXServer(free, true);
        port = Integer.toString(free);
      } catch (ExportException e) {
        if (tries == MORE_TRIES) {
          throw e;
        }
      }
    }
  }

  /** The setting as the page on installing shows it. */
  private static String defaultCompaction() throws IOException {
    Matcher setting =
        Pattern.compile("(?s)<!-- id: default-compaction -->\\s*```yaml\\n(.*?\\n)```")
            .matcher(Files.readString(Path.of("../docs/how-to/install-cassandra-plugin.md")));
    assertThat(setting.find()).isTrue();
    return setting.group(1);
  }

  @AfterAll
  static void nodeComplainedOfNothing() {
    assertThat(node.complaints()).isEmpty();
  }

  // --- a strategy of ours as the node's default ---

  @Test
  void systemTablesAndTablesWithoutAStrategyTakeTheDefault() {
    node.cql("CREATE TABLE ks.usual (id int PRIMARY KEY)");
    assertThat(strategyOf(node.table("ks", "usual")))
        .isEqualTo(SplitForestCompactionStrategy.class);
    List<String> ours = new ArrayList<>();
    for (ColumnFamilyStore one : ColumnFamilyStore.all()) {
      if (strategyOf(one) == SplitForestCompactionStrategy.class) {
        ours.add(one.getKeyspaceName() + "." + one.name);
      }
    }
    assertThat(ours)
        .contains(
            "system.local",
            "system.compaction_history",
            "system_schema.tables",
            "system_auth.roles",
            "system_traces.events");
    ColumnFamilyStore history = node.table("system", "compaction_history");
    for (int flush = 0; flush < 6; flush++) {
      node.run(
          "INSERT INTO system.compaction_history (id, keyspace_name) VALUES (now(), 'default')");
      node.flush(history);
    }
    node.settle(history);
    assertThat(Node.depth(history.getLiveSSTables())).isLessThan(6);
    nodetool("compact", "system", "compaction_history");
    nodetool("compact", "system_schema");
    assertThat(Node.depth(history.getLiveSSTables())).isEqualTo(1);
    assertThat(node.run("SELECT * FROM system.compaction_history").stream())
        .filteredOn(row -> row.getString("keyspace_name").equals("default"))
        .hasSize(6);
  }

  private static Class<?> strategyOf(ColumnFamilyStore store) {
    return store.getCompactionStrategyManager().getCompactionParams().klass();
  }

  // --- commands that merge ---

  @ParameterizedTest
  @ValueSource(strings = {"compact ks t", "compact -s ks t"})
  void compactLeavesOneRunOfTablesOfTheSizeAsked(String command) {
    layer();
    nodetool(command.split(" "));
    assertThat(Node.depth(table.getLiveSSTables())).isEqualTo(1);
    assertThat(table.getLiveSSTables())
        .hasSizeGreaterThan(2)
        .allMatch(sstable -> sstable.onDiskLength() < 2 << 20);
    assertUnchanged(command);
  }

  @Test
  void compactWithoutSpaceSaysSoInOneSentenceWithoutFrames() {
    layer();
    node.call("t", "apply", "max_transient_space=1KiB", "");
    Printed printed = run("compact", "ks", "t");
    node.call("t", "revert");
    assertThat(printed.code).isNotZero();
    assertThat(printed.text)
        .contains("error: ", "not enough space: merge ", "raise max_transient_space")
        .doesNotContain("\tat ", "Suppressed", "io.coppice");
    assertUnchanged("compact without space");
    nodetool("compact", "ks", "t");
  }

  @Test
  void compactOfATokenRangeMergesWhatReachesIntoItAndNothingElse() {
    layer();
    SSTableReader newest = narrowest();
    String first = token(newest.getFirst().getToken());
    String last = token(newest.getLast().getToken());
    Set<SSTableReader> apart =
        matching(
            sstable ->
                sstable.getLast().compareTo(newest.getFirst()) < 0
                    || newest.getLast().compareTo(sstable.getFirst()) < 0);
    Set<SSTableReader> within = matching(sstable -> !apart.contains(sstable));
    assertThat(apart).isNotEmpty();
    assertThat(within).hasSizeGreaterThan(2);
    nodetool("compact", "-st", first, "-et", last, "ks", "t");
    assertThat(table.getLiveSSTables()).containsAll(apart).doesNotContainAnyElementsOf(within);
    Set<SSTableReader> merged = matching(sstable -> !apart.contains(sstable));
    assertThat(Node.depth(merged)).isEqualTo(1);
    assertUnchanged("compact -st -et");
  }

  @Test
  void compactOfOnePartitionMergesWhatHoldsIt() {
    layer();
    nodetool("compact", "--partition", "7", "ks", "t");
    assertUnchanged("compact --partition");
  }

  @Test
  void compactOfFilesThatAreNamedMergesThose() {
    layer();
    List<SSTableReader> named =
        table.getLiveSSTables().stream()
            .filter(sstable -> inFirstDirectory(data(sstable)))
            .limit(3)
            .toList();
    List<String> command = new ArrayList<>(List.of("compact", "--user-defined"));
    named.forEach(sstable -> command.add(data(sstable).toString()));
    nodetool(command.toArray(String[]::new));
    assertThat(table.getLiveSSTables()).doesNotContainAnyElementsOf(named);
    assertUnchanged("compact --user-defined");
  }

  @Test
  void aChainShowsItsProgressObeysTheThrottleAndEndsWhenStopped() throws Exception {
    layer();
    layer();
    nodetool("setcompactionthroughput", "1");
    assertThat(nodetool("getcompactionthroughput")).contains("1 MB/s");
    assertThat(CompactionManager.instance.getRateLimiter().getRate()).isEqualTo(1 << 20);
    nodetool("setcompactionthroughput", "0");
    int before = steps();
    List<String> shown = new ArrayList<>();
    try (MergeGate gate = MergeGate.after(1, "t")) {
      Thread major = new Thread(() -> anyhow("compact", "ks", "t"), "operator");
      major.start();
      gate.awaitHeld();
      shown.addAll(running(nodetool("compactionstats")));
      while (steps() < before + 2 || shares(shown).stream().distinct().count() < 2) {
        gate.passNext();
        gate.awaitHeld();
        shown.addAll(running(nodetool("compactionstats")));
      }
      nodetool("stop", "MAJOR_COMPACTION");
      major.join();
    }
    assertThat(shares(shown)).allMatch(share -> share <= 100).anyMatch(share -> share > 0);
    assertThat(table.getTracker().getCompacting()).isEmpty();
    assertThat(running(nodetool("compactionstats"))).isEmpty();
    assertThat(Node.depth(table.getLiveSSTables())).isGreaterThan(1);
    assertUnchanged("stop");
    String history = nodetool("compactionhistory");
    assertThat(history.lines().filter(line -> line.contains("coppice_step")).count())
        .isGreaterThanOrEqualTo(before + 2);
    nodetool("compact", "ks", "t");
    assertThat(Node.depth(table.getLiveSSTables())).isEqualTo(1);
    assertUnchanged("compact after stop");
  }

  @Test
  void withoutAutocompactionNothingMergesAndWithItWhatWaitedDoes() {
    layer();
    layer();
    assertThat(nodetool("statusautocompaction", "ks", "t")).contains("not running");
    Set<SSTableReader> waiting = table.getLiveSSTables();
    CompactionManager.instance.submitBackground(table);
    assertThat(table.getLiveSSTables()).isEqualTo(waiting);
    nodetool("enableautocompaction", "ks", "t");
    assertThat(nodetool("statusautocompaction", "ks", "t")).doesNotContain("not running");
    node.settle(table);
    assertThat(table.getLiveSSTables()).isNotEqualTo(waiting);
    assertThat(Node.depth(table.getLiveSSTables())).isLessThan(Node.depth(waiting));
    nodetool("disableautocompaction", "ks", "t");
    assertUnchanged("enableautocompaction");
  }

  // --- commands that rewrite ---

  @ParameterizedTest
  @ValueSource(
      strings = {"garbagecollect ks t", "garbagecollect -g CELL ks t", "upgradesstables -a ks t"})
  void whatIsRewrittenInPlaceKeepsItsLevel(String command) {
    layer();
    Set<SSTableReader> before = table.getLiveSSTables();
    Map<Integer, Long> levels = levels();
    assertThat(levels).hasSizeGreaterThan(1);
    nodetool(command.split(" "));
    assertThat(table.getLiveSSTables()).doesNotContainAnyElementsOf(before);
    assertThat(levels().keySet()).isEqualTo(levels.keySet());
    assertUnchanged(command);
  }

  /**
   * Without deletions of ranges: the scrub of Cassandra 5.0 leaves out partitions that hold one,
   * whatever the strategy, as it takes every marker for a row.
   */
  @Test
  void scrubKeepsLevelsAndRows() {
    node.cql(TableModel.create("scrubbed", OURS));
    ColumnFamilyStore scrubbed = node.table("ks", "scrubbed");
    TableModel model = new TableModel(node, "scrubbed", SEED);
    for (int flush = 0; flush < 5; flush++) {
      for (int pk = flush; pk < 300; pk += flush + 1) {
        model.put(pk, 0, model.value(500));
        model.put(pk, 1, model.value(500));
        model.delete(pk + 1, 1);
        if (pk % 10 == 0) {
          model.deletePartition(pk + 2);
        }
      }
      node.flush(scrubbed);
    }
    node.settle(scrubbed);
    Set<SSTableReader> before = scrubbed.getLiveSSTables();
    Map<Integer, Long> levels = levels(scrubbed);
    assertThat(levels.keySet()).anyMatch(level -> level > 0);
    nodetool("scrub", "ks", "scrubbed");
    assertThat(scrubbed.getLiveSSTables()).doesNotContainAnyElementsOf(before);
    assertThat(levels(scrubbed)).isEqualTo(levels);
    model.verify("after scrub, seed " + SEED, 310);
  }

  @Test
  void cleanupOfANodeThatOwnsEverythingLeavesEverything() {
    layer();
    Set<SSTableReader> before = table.getLiveSSTables();
    nodetool("cleanup", "ks", "t");
    assertThat(table.getLiveSSTables()).isEqualTo(before);
    assertUnchanged("cleanup");
  }

  // --- commands that bring tables from elsewhere ---

  @Test
  void aSnapshotThatIsImportedIsTheTableAsItWas() throws IOException {
    layer();
    nodetool("snapshot", "-t", "kept", "-cf", "t", "ks");
    int kept = written;
    Path copy = node.files().home().resolve("import/ks/t");
    copySnapshot("kept", copy);
    layer();
    node.cql("TRUNCATE ks.t");
    LifecycleTransaction.waitForDeletions();
    nodetool("import", "ks", "t", copy.toString());
    written = kept;
    assertThat(levels().keySet()).containsExactly(0);
    assertThat(table.getLiveSSTables()).allMatch(NodetoolNodeTest::isWhereItBelongs);
    assertUnchanged("import");
    nodetool("compact", "ks", "t");
    assertThat(Node.depth(table.getLiveSSTables())).isEqualTo(1);
    assertUnchanged("compact after import");
    nodetool("clearsnapshot", "-t", "kept");
  }

  @Test
  void filesOfTheWrongDirectoryAreTakenByRefreshAndRelocated() throws IOException {
    layer();
    nodetool("snapshot", "-t", "moved", "-cf", "t", "ks");
    Path first = table.getDirectories().getCFDirectories().get(0).toPath();
    Path copy = node.files().home().resolve("moved");
    copySnapshot("moved", copy);
    node.cql("TRUNCATE ks.t");
    LifecycleTransaction.waitForDeletions();
    try (Stream<Path> files = Files.list(copy)) {
      for (Path file : files.toList()) {
        Files.move(file, first.resolve(file.getFileName()));
      }
    }
    nodetool("refresh", "ks", "t");
    assertThat(table.getLiveSSTables()).anyMatch(sstable -> !isWhereItBelongs(sstable));
    assertUnchanged("refresh");
    Map<Integer, Long> levels = levels();
    nodetool("relocatesstables", "ks", "t");
    assertThat(table.getLiveSSTables()).allMatch(NodetoolNodeTest::isWhereItBelongs);
    assertThat(levels().keySet()).isEqualTo(levels.keySet());
    assertUnchanged("relocatesstables");
    nodetool("compact", "ks", "t");
    assertThat(Node.depth(table.getLiveSSTables())).isEqualTo(1);
    assertUnchanged("compact after relocatesstables");
    nodetool("clearsnapshot", "-t", "moved");
  }

  // --- what the tests share ---

  /** Two waves more: wide SSTables of overwrites and deletions, narrow ones above them. */
  private static void layer() {
    waves.write(written++, 1);
    waves.write(written++, 6);
  }

  private static void assertUnchanged(String after) {
    assertThat(waves.differences(written)).as("after " + after + ", seed " + SEED).isEmpty();
  }

  /** Runs a command, which must succeed; returns what it has printed. */
  private static String nodetool(String... command) {
    Printed printed = run(command);
    assertThat(printed.code).as(List.of(command) + ": " + printed.text).isZero();
    return printed.text;
  }

  /** Runs a command that may fail, as it is stopped. */
  private static void anyhow(String... command) {
    run(command);
  }

  /** Cassandra's own factory of these is not for others to use. */
  private static final class Probes implements INodeProbeFactory {
    @Override
    public NodeProbe create(String host, int port) throws IOException {
      return new NodeProbe(host, port);
    }

    @Override
    public NodeProbe create(String host, int port, String user, String password)
        throws IOException {
      return new NodeProbe(host, port, user, password);
    }
  }

  private record Printed(int code, String text) {}

  private static Printed run(String... command) {
    List<String> arguments = new ArrayList<>(List.of("-p", port));
    arguments.addAll(List.of(command));
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    PrintStream stream = new PrintStream(bytes, true, StandardCharsets.UTF_8);
    int code =
        new NodeTool(new Probes(), new Output(stream, stream))
            .execute(arguments.toArray(String[]::new));
    return new Printed(code, bytes.toString(StandardCharsets.UTF_8));
  }

  /** The lines of compactionstats that are about merges of the table. */
  private static List<String> running(String stats) {
    return stats.lines().filter(line -> line.matches(".*\\bMajor compaction\\b.*")).toList();
  }

  /** How far, in percent, those lines say that merges are; those that begin do not say it. */
  private static List<Double> shares(List<String> lines) {
    Pattern percent = Pattern.compile("(\\d+\\.\\d+)%");
    List<Double> shares = new ArrayList<>();
    for (String line : lines) {
      assertThat(line).containsPattern("\\bks\\s+t\\b");
      Matcher share = percent.matcher(line);
      if (share.find()) {
        shares.add(Double.valueOf(share.group(1)));
      }
    }
    return shares;
  }

  private static int steps() {
    int steps = 0;
    for (var row : node.run("SELECT columnfamily_name FROM system.compaction_history")) {
      steps += row.getString("columnfamily_name").equals("t") ? 1 : 0;
    }
    return steps;
  }

  private static Set<SSTableReader> matching(Predicate<SSTableReader> wanted) {
    return table.getLiveSSTables().stream().filter(wanted).collect(Collectors.toSet());
  }

  private static SSTableReader narrowest() {
    return table.getLiveSSTables().stream()
        .filter(sstable -> sstable.getSSTableLevel() == 0)
        .min(Comparator.comparing(NodetoolNodeTest::span))
        .orElseThrow();
  }

  private static double span(SSTableReader sstable) {
    return sstable.getFirst().getToken().size(sstable.getLast().getToken());
  }

  private static String token(Token token) {
    return token.toString();
  }

  private static Map<Integer, Long> levels() {
    return levels(table);
  }

  private static Map<Integer, Long> levels(ColumnFamilyStore table) {
    return table.getLiveSSTables().stream()
        .collect(
            Collectors.groupingBy(
                SSTableReader::getSSTableLevel, TreeMap::new, Collectors.counting()));
  }

  private static Path data(SSTableReader sstable) {
    return sstable.descriptor.fileFor(Components.DATA).toPath();
  }

  private static boolean inFirstDirectory(Path file) {
    return file.startsWith(node.files().data().toList().get(0));
  }

  private static boolean isWhereItBelongs(SSTableReader sstable) {
    return table
        .getDiskBoundaries()
        .isInCorrectLocation(
            sstable, table.getDirectories().getDataDirectoryForFile(sstable.descriptor));
  }

  /** Copies the files of a snapshot, of all data directories, to one directory. */
  private static void copySnapshot(String tag, Path target) throws IOException {
    Files.createDirectories(target);
    Set<Path> snapshots = new HashSet<>();
    for (var directory : table.getDirectories().getCFDirectories()) {
      snapshots.add(directory.toPath().resolve("snapshots").resolve(tag));
    }
    assertThat(snapshots).hasSize(DATA_DIRECTORIES);
    for (Path snapshot : snapshots) {
      try (Stream<Path> files = Files.list(snapshot)) {
        for (Path file : files.filter(NodetoolNodeTest::isComponent).toList()) {
          Files.copy(file, target.resolve(file.getFileName()));
        }
      }
    }
  }

  /** True for a file of an SSTable of any format; beside them lie a manifest and the schema. */
  private static boolean isComponent(Path file) {
    return file.getFileName().toString().matches("[a-z]{2}-\\w+-.*");
  }
}
