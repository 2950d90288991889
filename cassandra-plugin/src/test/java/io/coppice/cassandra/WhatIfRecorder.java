// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.cassandra;

import static org.assertj.core.api.Assertions.assertThat;

import io.coppice.cassandra.merge.MergeProgress;
import io.coppice.cassandra.node.Node;
import io.coppice.cassandra.node.NodeFiles;
import io.coppice.cassandra.node.OwnNode;
import io.coppice.cassandra.node.Strategies;
import io.coppice.policy.observe.JmxStrategySnapshot;
import io.coppice.policy.observe.JmxTableMap;
import io.coppice.policy.observe.StrategySnapshot;
import io.coppice.policy.observe.TableMap;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import javax.management.openmbean.CompositeData;
import org.apache.cassandra.db.ColumnFamilyStore;
import org.apache.cassandra.db.compaction.CompactionInfo;
import org.apache.cassandra.db.compaction.CompactionManager;
import org.apache.cassandra.db.lifecycle.LifecycleTransaction;
import org.apache.cassandra.io.sstable.format.SSTableReader;
import org.apache.cassandra.notifications.INotification;
import org.apache.cassandra.notifications.INotificationConsumer;
import org.apache.cassandra.notifications.SSTableAddedNotification;
import org.apache.cassandra.notifications.SSTableListChangedNotification;
import org.apache.cassandra.service.StorageService;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Recorder of a node for the test that compares it with the what-if simulation. It writes one text
 * file per strategy and load: what the node publishes over JMX about a new table after {@value
 * #BEFORE} flushes, and what it measured over the {@value #RECORDED} flushes that follow. Not part
 * of a build; {@code docs/explanation/simulator.md} has the command.
 */
@OwnNode
final class WhatIfRecorder {

  private static final int BEFORE = 80;
  private static final int RECORDED = 120;
  private static final int ROWS = 2_000;
  private static final int KEYS = 48_000;
  private static final int VALUE_BYTES = 1_000;
  private static final double EXPONENT = 0.99;
  private static final double DELETIONS = 0.1;

  private static Node node;

  /** Strategies, each with its options in CQL. */
  private static final Map<String, String> STRATEGIES =
      Map.of(
          "leveled", "'policy': 'leveled', 'fanout': '4', 'cleaning_threshold': '4'",
          "leveled-limited",
              "'policy': 'leveled', 'fanout': '4', 'cleaning_threshold': '4',"
                  + " 'max_transient_space': '4MiB'",
          "delayed", "'policy': 'delayed', 'fanout': '4', 'cleaning_threshold': '4'",
          "split-forest", "'policy': 'split-forest', 'cleaning_threshold': '4'",
          "split-forest-uncleaned", "'policy': 'split-forest', 'cleaning_threshold': '0'",
          "lazy-binomial", "'policy': 'lazy-binomial', 'cleaning_threshold': '4'");

  /** Order of keys. */
  enum Load {
    /** Updates of keys that are equally likely. */
    UNIFORM,
    /** Updates of keys whose popularity follows Zipf's law. */
    ZIPF,
    /** Inserts, and deletions of keys that exist. */
    DELETES
  }

  @BeforeAll
  static void startNode() {
    node = Node.startForThisJvmOnly(NodeFiles.fresh("recorded", 1));
    // One merge at a time, so that the order of merges and their space depend on the load alone.
    StorageService.instance.setConcurrentCompactors(1);
    node.createKeyspace();
  }

  @ParameterizedTest
  @EnumSource
  void recordsEachStrategy(Load load) throws IOException {
    Path directory = Path.of(System.getProperty("coppice.recordings"));
    Files.createDirectories(directory);
    for (Map.Entry<String, String> strategy : STRATEGIES.entrySet()) {
      if (load == Load.DELETES && !strategy.getKey().equals("delayed")) {
        continue;
      }
      String name = strategy.getKey() + "-" + load.name().toLowerCase(Locale.ROOT);
      if (!System.getProperty("coppice.recording", name).equals(name)) {
        continue;
      }
      Files.write(directory.resolve(name + ".txt"), record(load, strategy.getValue()));
    }
  }

  private static List<String> record(Load load, String options) {
    node.cql(
        "CREATE TABLE ks.t (id bigint PRIMARY KEY, v blob) WITH gc_grace_seconds = 0"
            + " AND compression = {'enabled': false} AND compaction = "
            + Strategies.ours("Coppice", options));
    ColumnFamilyStore table = node.table("ks", "t");
    Writer writer = new Writer(load);
    StrategySnapshot created = snapshot();
    for (int i = 0; i < BEFORE; i++) {
      writer.flush(table);
    }
    StrategySnapshot before = snapshot();
    List<String> lines = new ArrayList<>();
    lines.add("policy=" + before.policy());
    counters(lines, "observed_", created, before);
    tables(lines, map());
    Meter meter = new Meter(table);
    table.getTracker().subscribe(meter);
    double runs = 0;
    int rests = 0;
    for (int i = 1; i <= RECORDED; i++) {
      writer.flush(table);
      if (2 * i >= RECORDED) {
        runs += runs(map());
        rests++;
      }
    }
    table.getTracker().unsubscribe(meter);
    StrategySnapshot after = snapshot();
    counters(lines, "measured_", before, after);
    line(lines, "tracker_flushed", meter.flushedBytes);
    line(lines, "tracker_merged", meter.mergedBytes);
    line(lines, "runs_mean", String.format(Locale.ROOT, "%.3f", runs / rests));
    line(lines, "runs_end", String.format(Locale.ROOT, "%.3f", runs(map())));
    line(lines, "transient", meter.transientBytes);
    line(lines, "largest_table", meter.largestTable);
    node.cql("DROP TABLE ks.t");
    LifecycleTransaction.waitForDeletions();
    return lines;
  }

  private static void counters(
      List<String> lines, String prefix, StrategySnapshot from, StrategySnapshot to) {
    for (String counter :
        List.of(
            "Flushes",
            "FlushedBytes",
            "MergedBytes",
            "MergeReadBytes",
            "Merges",
            "MergeSteps",
            "Writes")) {
      line(lines, prefix + counter, to.counter(counter) - from.counter(counter));
    }
  }

  private static void tables(List<String> lines, TableMap map) {
    for (int i = 0; i < map.size(); i++) {
      lines.add(
          String.format(
              Locale.ROOT,
              "start %d %d %.9f %.9f %d %d %d",
              map.level()[i],
              map.run()[i],
              map.low()[i],
              map.high()[i],
              map.bytes()[i],
              map.entries()[i],
              map.deletions()[i]));
    }
  }

  private static void line(List<String> lines, String name, Object value) {
    lines.add(name + "=" + value);
  }

  private static StrategySnapshot snapshot() {
    return JmxStrategySnapshot.from((CompositeData) node.call("t", "snapshot")).snapshot();
  }

  private static TableMap map() {
    return JmxTableMap.from((CompositeData) node.call("t", "tableMap")).map();
  }

  /** Returns the mean number of SSTables over a token. */
  private static double runs(TableMap map) {
    double runs = 0;
    for (int i = 0; i < map.size(); i++) {
      runs += map.high()[i] - map.low()[i];
    }
    return runs;
  }

  /** Writes the load. */
  private static final class Writer {

    private final Load load;
    private final Random random = new Random(7);
    private final double[] popularity = new double[KEYS];
    private final Set<Long> deleted = new HashSet<>();
    private long inserted;

    Writer(Load load) {
      this.load = load;
      double sum = 0;
      for (int i = 0; i < KEYS; i++) {
        sum += Math.pow(i + 1.0, -EXPONENT);
        popularity[i] = sum;
      }
    }

    void flush(ColumnFamilyStore table) {
      byte[] value = new byte[VALUE_BYTES];
      for (int i = 0; i < ROWS; i++) {
        if (load == Load.DELETES && inserted > 0 && random.nextDouble() < DELETIONS) {
          long key = (long) (random.nextDouble() * inserted);
          if (deleted.add(key)) {
            node.run("DELETE FROM ks.t WHERE id = ?", key);
          }
        } else {
          random.nextBytes(value);
          node.run("INSERT INTO ks.t (id, v) VALUES (?, ?)", key(), ByteBuffer.wrap(value.clone()));
        }
      }
      node.flush(table);
      node.settle(table);
    }

    private long key() {
      return switch (load) {
        case UNIFORM -> random.nextInt(KEYS);
        case ZIPF -> zipf();
        case DELETES -> inserted++;
      };
    }

    private int zipf() {
      double at = random.nextDouble() * popularity[KEYS - 1];
      int found = Arrays.binarySearch(popularity, at);
      return found < 0 ? -found - 1 : found;
    }
  }

  /**
   * Listens to the tracker of a table, so that no figure rests on what the strategy says of itself.
   */
  private static final class Meter implements INotificationConsumer {

    private final ColumnFamilyStore table;
    private final Map<Object, Long> growth = new HashMap<>();
    private long flushedBytes;
    private long mergedBytes;
    private long transientBytes;
    private long largestTable;

    Meter(ColumnFamilyStore table) {
      this.table = table;
    }

    @Override
    public synchronized void handleNotification(INotification notification, Object sender) {
      if (notification instanceof SSTableAddedNotification added && added.memtable().isPresent()) {
        for (SSTableReader sstable : added.added) {
          flushedBytes += sstable.onDiskLength();
        }
      } else if (notification instanceof SSTableListChangedNotification changed) {
        // A move puts the same SSTable in as another reader.
        Set<SSTableReader> written = new HashSet<>(changed.added);
        written.removeAll(Set.copyOf(changed.removed));
        if (written.isEmpty()) {
          return;
        }
        long growing = growth.getOrDefault(merge(), 0L);
        for (SSTableReader sstable : written) {
          mergedBytes += sstable.onDiskLength();
          growing += sstable.onDiskLength();
          largestTable = Math.max(largestTable, sstable.onDiskLength());
        }
        transientBytes = Math.max(transientBytes, growing);
        for (SSTableReader sstable : changed.removed) {
          growing -= sstable.onDiskLength();
        }
        growth.put(merge(), growing);
      }
    }

    /** Returns the id of the one merge that runs. */
    private Object merge() {
      List<Object> running = new ArrayList<>();
      for (CompactionInfo.Holder holder : CompactionManager.instance.active.getCompactions()) {
        CompactionInfo info = holder.getCompactionInfo();
        if (holder instanceof MergeProgress && table.metadata().equals(info.getTableMetadata())) {
          running.add(info.getTaskId());
        }
      }
      assertThat(running).hasSize(1);
      return running.get(0);
    }
  }
}
