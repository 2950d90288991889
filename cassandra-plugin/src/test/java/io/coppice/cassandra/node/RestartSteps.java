// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.cassandra.node;

import java.nio.file.Path;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.apache.cassandra.db.ColumnFamilyStore;
import org.apache.cassandra.db.compaction.CompactionInfo;
import org.apache.cassandra.db.compaction.CompactionManager;
import org.apache.cassandra.db.lifecycle.LifecycleTransaction;
import org.apache.cassandra.io.sstable.format.SSTableReader;
import org.apache.cassandra.io.util.File;

/**
 * What a node with three data directories is put through, one process a step. Ends by halting: with
 * 0 when a step has gone through, with {@link #CRASHED} where the step is to die, else with 1.
 */
public final class RestartSteps {

  /** The exit code of a crash on purpose. */
  public static final int CRASHED = 9;

  public static final int DATA_DIRECTORIES = 3;

  private static final long SEED = Long.getLong("seed", 20261120L);
  private static final int PARTITIONS = 1500;
  private static final int OTHER_PARTITIONS = 150;
  private static final int OTHER_FLUSHES = 3;
  private static final int OTHER_CHANGES = 200;

  private final Node node;
  private final TableModel model;

  private RestartSteps(Node node) {
    this.node = node;
    this.model = new TableModel(node, "t", SEED);
  }

  /** Takes the step's name and the node's home. */
  public static void main(String[] arguments) {
    int exit = 1;
    try {
      Node node = Node.start(new NodeFiles(Path.of(arguments[1]), DATA_DIRECTORIES));
      RestartSteps steps = new RestartSteps(node);
      switch (arguments[0]) {
        case "fill-and-crash" -> steps.fillAndCrash();
        case "too-early" -> throw new AssertionError("it has started");
        case "resume-and-leave" -> steps.resumeAndLeave();
        case "with-stand-ins" -> steps.withStandIns();
        case "without-the-jar" -> steps.withoutTheJar();
        default -> throw new IllegalArgumentException(arguments[0]);
      }
      check(node.complaints().isEmpty(), "the log complains: " + node.complaints());
      exit = 0;
    } catch (Throwable e) {
      e.printStackTrace();
    }
    System.out.flush();
    Runtime.getRuntime().halt(exit);
  }

  private void fillAndCrash() {
    node.createKeyspace();
    node.cql(
        TableModel.create(
            "t",
            "{'class': 'io.coppice.cassandra.SplitForestCompactionStrategy',"
                + " 'table_size': '1MiB', 'fanout': '3'}"));
    fillOthers();
    firstWrites();
    ColumnFamilyStore table = table();
    node.settle(table);
    verify("before the crash");
    check(perDirectory(table).size() == DATA_DIRECTORIES, "data lies in all data directories");
    check((long) node.bean("t", "Merges") > 0, "something was merged");
    node.call("t", "apply", "cleaning_threshold=3", "");
    check(((String) node.bean("t", "Policy")).contains("cleaning_threshold=3"), "it is tuned");

    // A merge waits for the rate limit after it has copied a slice, at one byte per second for
    // days.
    Node.throttle(1);
    Thread major = new Thread(table::forceMajorCompaction, "major");
    major.setDaemon(true);
    major.start();
    Node.await(
        "the major compaction to be amid its work",
        () ->
            CompactionManager.instance.active.getCompactions().stream()
                .map(CompactionInfo.Holder::getCompactionInfo)
                .anyMatch(
                    info ->
                        info.getTable().map("t"::equals).orElse(false)
                            && info.getCompleted() > 1 << 16));
    check(major.isAlive(), "the major compaction has not ended");
    Runtime.getRuntime().halt(CRASHED);
  }

  /** A small table for each strategy of ours. */
  private void fillOthers() {
    for (int i = 0; i < Strategies.OURS.size(); i++) {
      node.cql(TableModel.create("other" + i, Strategies.OURS.get(i)));
      TableModel other = other(i);
      for (int flush = 0; flush < OTHER_FLUSHES; flush++) {
        other.churn(OTHER_CHANGES, OTHER_PARTITIONS, 100);
        other.flush();
      }
    }
  }

  private TableModel other(int i) {
    return new TableModel(node, "other" + i, SEED + i);
  }

  private void verifyOthers(String when) {
    for (int i = 0; i < Strategies.OURS.size(); i++) {
      TableModel other = other(i);
      other.replay(() -> other.churn(OTHER_FLUSHES * OTHER_CHANGES, OTHER_PARTITIONS, 100));
      other.awaitExpiry();
      other.verify(when + ", other " + i, OTHER_PARTITIONS);
    }
  }

  private void firstWrites() {
    for (int flush = 0; flush < 10; flush++) {
      model.churn(1500, PARTITIONS, 700);
      model.flush();
    }
  }

  private void resumeAndLeave() {
    model.replay(this::firstWrites);
    ColumnFamilyStore table = table();
    verify("after the crash");
    check(
        node.bean("t", "Policy").equals(node.bean("t", "ConfiguredPolicy")),
        "a restart brings back what the schema says: " + node.bean("t", "Policy"));
    node.settle(table);
    verify("after what was left to compact");
    for (int flush = 0; flush < 4; flush++) {
      model.churn(1500, PARTITIONS, 700);
      model.flush();
    }
    node.settle(table);
    verify("after more writes");

    table.forceMajorCompaction();
    Map<String, Set<SSTableReader>> directories = perDirectory(table);
    check(directories.size() == DATA_DIRECTORIES, "data still lies in all data directories");
    directories.forEach(
        (directory, sstables) ->
            check(Node.depth(sstables) == 1, directory + " holds one run: " + sstables));
    check(Node.depth(table.getLiveSSTables()) == 1, "all directories together hold one run");
    verify("after the major compaction");

    node.cql(
        "ALTER TABLE ks.t WITH compaction ="
            + " {'class': 'UnifiedCompactionStrategy', 'scaling_parameters': 'T4'}");
    verify("after the way back");
    // The others each to one of Cassandra's, but for the first: that is forgotten.
    for (int i = 1; i < Strategies.OURS.size(); i++) {
      String stock = Strategies.STOCK.get(i % Strategies.STOCK.size());
      node.cql("ALTER TABLE ks.other" + i + " WITH compaction = " + stock);
      node.settle(node.table("ks", "other" + i));
    }
    verifyOthers("after the way back");
    node.drain();
  }

  /** Nothing is merged, all can be read, and the table that was forgotten can be altered. */
  private void withStandIns() {
    replayAll();
    verify("with stand-ins");
    verifyOthers("with stand-ins");
    ColumnFamilyStore forgotten = node.table("ks", "other0");
    Set<SSTableReader> before = forgotten.getLiveSSTables();
    CompactionManager.instance.submitBackground(forgotten);
    node.settle(forgotten);
    check(forgotten.getLiveSSTables().equals(before), "a stand-in merges nothing");
    node.cql("ALTER TABLE ks.other0 WITH compaction = " + Strategies.STOCK.get(2));
    node.drain();
  }

  private void withoutTheJar() {
    try {
      Class.forName("io.coppice.cassandra.SplitForestCompactionStrategy");
      throw new AssertionError("the plugin is still on the class path");
    } catch (ClassNotFoundException expected) {
      replayAll();
      verify("without the jar");
      verifyOthers("without the jar");
    }
  }

  private void replayAll() {
    model.replay(
        () -> {
          firstWrites();
          for (int flush = 0; flush < 4; flush++) {
            model.churn(1500, PARTITIONS, 700);
          }
        });
  }

  private void verify(String when) {
    model.awaitExpiry();
    model.verify(when + ", seed " + SEED, PARTITIONS + 10);
  }

  private ColumnFamilyStore table() {
    return node.table("ks", "t");
  }

  private static Map<String, Set<SSTableReader>> perDirectory(ColumnFamilyStore table) {
    LifecycleTransaction.waitForDeletions();
    Map<String, Set<SSTableReader>> directories = new TreeMap<>();
    for (SSTableReader sstable : table.getLiveSSTables()) {
      File directory = sstable.descriptor.directory;
      directories
          .computeIfAbsent(
              directory.path(), path -> new TreeSet<>(SSTableReader.firstKeyComparator))
          .add(sstable);
    }
    return directories;
  }

  private static void check(boolean holds, String what) {
    if (!holds) {
      throw new AssertionError("not so: " + what);
    }
  }
}
