// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.cassandra;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.coppice.cassandra.node.Node;
import io.coppice.cassandra.node.SharedNode;
import io.coppice.cassandra.node.Strategies;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import org.apache.cassandra.config.DatabaseDescriptor;
import org.apache.cassandra.db.ColumnFamilyStore;
import org.apache.cassandra.db.compaction.AbstractCompactionTask;
import org.apache.cassandra.db.compaction.CompactionTask;
import org.apache.cassandra.io.sstable.CorruptSSTableException;
import org.apache.cassandra.io.sstable.format.SSTableFormat;
import org.apache.cassandra.io.sstable.format.SSTableReader;
import org.apache.cassandra.io.sstable.format.StatsComponent;
import org.apache.cassandra.io.sstable.metadata.MetadataType;
import org.apache.cassandra.utils.FBUtilities;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * {@code nodetool compact} beside Cassandra's own strategies: each reason to rewrite an SSTable, in
 * each arrangement of SSTables, under each policy.
 */
@SharedNode
final class MajorCompactionNodeTest {

  private static final int KEYS = 20;
  private static final String MARK = "a value that has to leave the disk";
  private static final int LARGE = 160 << 10;

  // Size-tiered, leveled, unified.
  private static final List<String> STOCK = Strategies.STOCK.subList(0, 3);

  private static Node node;
  private static List<Integer> byToken;
  private static int tables;

  /** What a major compaction has to change. */
  private enum Reason {
    DROPPED_COLUMN,
    ENDED_TTL,
    DELETED_ROWS,
    COMPRESSION,
    FILTER,
    FORMAT,
    SIZE,
    SPLIT
  }

  /** How the SSTables of a table lie beside each other. */
  private enum Arrangement {
    LONE,
    DISJOINT,
    OVERLAPPING
  }

  private record Case(String strategy, Arrangement arrangement, ColumnFamilyStore table) {}

  /** What is seen of a table after its major compaction. */
  private record Outcome(
      boolean rewritten,
      boolean marked,
      long rows,
      Set<String> compression,
      Set<Double> filters,
      Set<String> formats) {}

  @BeforeAll
  static void startNode() {
    node = Node.shared();
    node.cql("CREATE TABLE ks.keys (id int PRIMARY KEY)");
    ColumnFamilyStore keys = node.table("ks", "keys");
    byToken = new ArrayList<>(IntStream.range(0, KEYS).boxed().toList());
    byToken.sort(
        (one, other) -> keys.decorateKey(bytes(one)).compareTo(keys.decorateKey(bytes(other))));
  }

  private static ByteBuffer bytes(int key) {
    return ByteBuffer.allocate(4).putInt(0, key);
  }

  @AfterAll
  static void nodeComplainedOfTheCorruptionOnly() {
    assertThat(node.complaints())
        .allMatch(line -> line.contains("CompactionExecutor") || line.contains("orrupt"));
  }

  @ParameterizedTest
  @EnumSource
  void everyPolicyDoesWhatCassandrasStrategiesDo(Reason reason) {
    SSTableFormat<?, ?> usual = DatabaseDescriptor.getSelectedSSTableFormat();
    List<Case> cases = new ArrayList<>();
    try {
      if (reason == Reason.FORMAT) {
        DatabaseDescriptor.setSelectedSSTableFormat(
            DatabaseDescriptor.getSSTableFormats().get("bti"));
      }
      for (Arrangement arrangement : Arrangement.values()) {
        ColumnFamilyStore written = written(arrangement, reason);
        for (String strategy : concat(STOCK, Strategies.OURS)) {
          cases.add(new Case(strategy, arrangement, copy(written, strategy)));
        }
      }
    } finally {
      DatabaseDescriptor.setSelectedSSTableFormat(usual);
    }
    long end = FBUtilities.nowInSeconds();
    if (reason == Reason.ENDED_TTL || reason == Reason.DELETED_ROWS) {
      Node.await("the values to end", () -> FBUtilities.nowInSeconds() > end + 1);
    }
    Map<Arrangement, Set<Outcome>> expected = new LinkedHashMap<>();
    for (Case one : cases) {
      Outcome outcome = compact(one.table, reason);
      String as = reason + ", " + one.arrangement + ", " + one.strategy;
      if (STOCK.contains(one.strategy)) {
        expected.computeIfAbsent(one.arrangement, some -> new HashSet<>()).add(outcome);
        continue;
      }
      assertThat(expected.get(one.arrangement)).as(as).hasSize(1).containsExactly(outcome);
      assertThat(Node.depth(one.table.getLiveSSTables())).as(as).isLessThanOrEqualTo(1);
      if (reason == Reason.SIZE) {
        assertThat(one.table.getLiveSSTables())
            .as(as)
            .hasSizeGreaterThan(1)
            .allMatch(sstable -> sstable.onDiskLength() < 2 << 20);
      }
    }
  }

  private static List<String> concat(List<String> some, List<String> others) {
    List<String> all = new ArrayList<>(some);
    all.addAll(others);
    return all;
  }

  private static ColumnFamilyStore create(String strategy) {
    String name = "t" + ++tables;
    node.cql(
        "CREATE TABLE ks."
            + name
            + " (id int PRIMARY KEY, c text, v blob) WITH compression = {'enabled': 'false'} AND"
            + " gc_grace_seconds = 0 AND bloom_filter_fp_chance = 0.01 AND compaction = "
            + strategy);
    ColumnFamilyStore table = node.table("ks", name);
    table.disableAutoCompaction();
    return table;
  }

  private static ColumnFamilyStore copy(ColumnFamilyStore written, String strategy) {
    ColumnFamilyStore table = create(strategy);
    node.copy(written, table);
    return table;
  }

  private static ColumnFamilyStore written(Arrangement arrangement, Reason reason) {
    ColumnFamilyStore table = create(STOCK.get(0));
    int half = KEYS / 2;
    write(table, arrangement == Arrangement.DISJOINT ? byToken.subList(0, half) : byToken, reason);
    if (arrangement == Arrangement.DISJOINT) {
      write(table, byToken.subList(half, KEYS), reason);
    } else if (arrangement == Arrangement.OVERLAPPING) {
      write(table, byToken.subList(1, half), reason);
    }
    assertThat(table.getLiveSSTables()).hasSize(arrangement == Arrangement.LONE ? 1 : 2);
    return table;
  }

  private static void write(ColumnFamilyStore table, List<Integer> keys, Reason reason) {
    ByteBuffer value = ByteBuffer.allocate(reason == Reason.SIZE ? LARGE : 10);
    for (int key : keys) {
      String ends = reason == Reason.ENDED_TTL && key > 0 ? " USING TTL 1" : "";
      node.run(
          "INSERT INTO ks." + table.name + " (id, c, v) VALUES (?, ?, ?)" + ends, key, MARK, value);
      if (reason == Reason.DELETED_ROWS && key > 0) {
        node.run("DELETE FROM ks." + table.name + " WHERE id = ?", key);
      }
    }
    node.flush(table);
  }

  private static Outcome compact(ColumnFamilyStore table, Reason reason) {
    String alter = "ALTER TABLE ks." + table.name;
    switch (reason) {
      case DROPPED_COLUMN -> node.cql(alter + " DROP c");
      case COMPRESSION -> node.cql(alter + " WITH compression = {'class': 'LZ4Compressor'}");
      case FILTER -> node.cql(alter + " WITH bloom_filter_fp_chance = 0.2");
      default -> {}
    }
    Set<SSTableReader> before = table.getLiveSSTables();
    table.forceMajorCompaction(reason == Reason.SPLIT);
    Set<SSTableReader> after = table.getLiveSSTables();
    return new Outcome(
        after.stream().noneMatch(before::contains),
        after.stream().anyMatch(MajorCompactionNodeTest::isMarked) && reason != Reason.COMPRESSION,
        after.stream().mapToLong(SSTableReader::getTotalRows).sum(),
        distinct(after, sstable -> String.valueOf(sstable.compression)),
        distinct(after, MajorCompactionNodeTest::filterChance),
        distinct(after, sstable -> sstable.descriptor.version.toFormatAndVersionString()));
  }

  private static double filterChance(SSTableReader sstable) {
    try {
      return StatsComponent.load(sstable.descriptor, MetadataType.VALIDATION)
          .validationMetadata()
          .bloomFilterFPChance;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static <T> Set<T> distinct(Set<SSTableReader> sstables, Function<SSTableReader, T> of) {
    Set<T> distinct = new HashSet<>();
    sstables.forEach(sstable -> distinct.add(of.apply(sstable)));
    return distinct;
  }

  private static boolean isMarked(SSTableReader sstable) {
    try {
      byte[] bytes = Files.readAllBytes(data(sstable));
      return new String(bytes, StandardCharsets.ISO_8859_1).contains(MARK);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static Path data(SSTableReader sstable) {
    return sstable.descriptor.fileFor(SSTableFormat.Components.DATA).toPath();
  }

  @Test
  void damageInASingleSstableIsReportedAsCassandraReportsIt() throws IOException {
    Set<String> reports = new HashSet<>();
    ColumnFamilyStore written = written(Arrangement.LONE, Reason.SPLIT);
    for (String strategy : concat(STOCK, Strategies.OURS)) {
      ColumnFamilyStore table = create(strategy);
      // A copy that shares no byte with others.
      node.cql("ALTER TABLE ks." + table.name + " WITH compression = {'class': 'LZ4Compressor'}");
      node.copy(written, table);
      table.forceMajorCompaction();
      SSTableReader damaged = table.getLiveSSTables().iterator().next();
      try (FileChannel file = FileChannel.open(data(damaged), StandardOpenOption.WRITE)) {
        file.write(ByteBuffer.wrap(new byte[32]), 16);
      }
      Throwable thrown = catchThrowable(table::forceMajorCompaction);
      reports.add(String.valueOf(thrown).replaceAll("/\\S+", "FILE"));
    }
    assertThat(reports).hasSize(1);
    assertThat(reports.iterator().next())
        .contains(CorruptSSTableException.class.getName() + ": Corrupted: FILE");
  }

  /** Tools that read the log know the line by which Cassandra's own task ends. */
  @Test
  void theLineOfAStepIsThatOfCassandrasTaskAndNamesWhatItReadAndWrote() throws IOException {
    ColumnFamilyStore table =
        copy(written(Arrangement.OVERLAPPING, Reason.SPLIT), Strategies.OURS.get(0));
    Set<SSTableReader> before = table.getLiveSSTables();
    table.forceMajorCompaction();
    String line =
        Files.readAllLines(node.files().log()).stream()
            .filter(one -> one.contains(" of ks." + table.name + " consumed "))
            .findFirst()
            .orElseThrow();
    assertThat(line.substring(line.indexOf("Compacted ("))).matches(linesOfCassandra() + ".*");
    String outputs = line.substring(line.indexOf("sstables to ["), line.indexOf("to level="));
    table
        .getLiveSSTables()
        .forEach(output -> assertThat(outputs).contains(output.descriptor.baseFile().toString()));
    String inputs = line.substring(line.indexOf(" consumed ["));
    before.forEach(input -> assertThat(inputs).contains(input.descriptor.baseFile().toString()));
  }

  /** The format in the constants of Cassandra's class, as a regular expression. */
  private static String linesOfCassandra() throws IOException {
    byte[] bytes;
    try (InputStream type =
        CompactionTask.class.getResourceAsStream(
            "/" + CompactionTask.class.getName().replace('.', '/') + ".class")) {
      bytes = type.readAllBytes();
    }
    String constants = new String(bytes, StandardCharsets.ISO_8859_1);
    int begin = constants.indexOf("Compacted (%s)");
    // Two bytes before a constant hold its length.
    int length = constants.charAt(begin - 2) << 8 | constants.charAt(begin - 1);
    String format = constants.substring(begin, begin + length);
    assertThat(format).endsWith("%,dms");
    StringBuilder pattern = new StringBuilder();
    Matcher part = Pattern.compile("%(s|,?d|%)|[^%]+").matcher(format);
    while (part.find()) {
      pattern.append(
          switch (part.group()) {
            case "%s" -> ".*";
            case "%d" -> "\\d+";
            case "%,d" -> "[\\d,]+";
            case "%%" -> "%";
            default -> Pattern.quote(part.group());
          });
    }
    return pattern.toString();
  }

  @Test
  void thereAreTasksWhileAnythingIsLiveAndNeitherSuspectNorBeingCompacted() {
    ColumnFamilyStore written = written(Arrangement.DISJOINT, Reason.SPLIT);
    for (String strategy : Strategies.OURS) {
      ColumnFamilyStore table = copy(written, strategy);
      for (boolean again : new boolean[] {false, true}) {
        Set<SSTableReader> live = table.getLiveSSTables();
        List<AbstractCompactionTask> tasks = tasks(table);
        assertThat(table.getTracker().getCompacting()).as(strategy + again).isEqualTo(live);
        tasks.forEach(task -> task.execute(null));
        assertThat(table.getLiveSSTables()).as(strategy).doesNotContainAnyElementsOf(live);
      }
      table.getLiveSSTables().forEach(SSTableReader::markSuspect);
      assertThat(tasks(table)).as(strategy).isEmpty();
    }
  }

  private static List<AbstractCompactionTask> tasks(ColumnFamilyStore table) {
    List<AbstractCompactionTask> tasks = new ArrayList<>();
    table.getCompactionStrategyManager().getStrategies().stream()
        .flatMap(List::stream)
        .forEach(
            strategy -> {
              var some = strategy.getMaximalTask(FBUtilities.nowInSeconds(), false);
              tasks.addAll(some == null ? List.of() : some);
            });
    return tasks;
  }
}
