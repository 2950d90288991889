// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.cassandra.node;

import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import org.apache.cassandra.config.DatabaseDescriptor;
import org.apache.cassandra.db.ColumnFamilyStore;
import org.apache.cassandra.db.compaction.CompactionManager;

/**
 * One life of a node that is killed amid merges. It compares its tables with what was written in
 * former lives, writes one wave more, and then merges slowly for ever, by itself and because an
 * operator asks for major compactions; or, in its last life, until nothing is left to merge.
 *
 * <p>The strategy follows from the seed, the rest from the node's {@link Variety}. It tells its
 * parent by lines: {@code VERIFIED n} once n rows are as they must be, {@code WAVES n} once n waves
 * are on disk, {@code MERGING} once merges run. Ends with 0, or with 1 and a message if a row was
 * wrong.
 */
public final class KillSteps {

  /** What the parent waits for. */
  public static final String VERIFIED = "VERIFIED ";

  public static final String WAVES = "WAVES ";
  public static final String MERGING = "MERGING";

  private static final int PARTITIONS = 1500;
  private static final int FIRST_WAVES = 3;
  private static final int VALUE_LENGTH = 1200;
  private static final int SLICES = 6;
  private static final int LAYERS = 6;

  // Less than lies on the disk twice amid a merge of layers. Tiered, which keeps the largest
  // SSTables, gets more: what is above half of the bound is not merged in the background.
  private static final String SPACE = "'max_transient_space': '40%'";
  private static final String SPACE_OF_TIERED = "'max_transient_space': '60%'";
  private static final int SEEDS_ALIKE = 5;
  private static final int BRIEF_MILLIS = 1500;
  private static final String TABLE = "t";
  private static final String COUNTERS = "c";
  private static final int COUNTED = 300;

  private final Node node;
  private final Waves waves;
  private final Counts counts;
  private final long seed;
  private final boolean counting;

  private KillSteps(Node node, long seed) {
    this.node = node;
    this.seed = seed;
    this.waves = new Waves(node, TABLE, seed, PARTITIONS, VALUE_LENGTH, true);
    this.counts = new Counts(node, COUNTERS, seed, COUNTED);
    this.counting = node.files().variety().has("counters");
  }

  /**
   * The strategy of all lives of that seed: ours in turn, five seeds without a bound on the space
   * that merges may take, and five with one that makes them take fewer runs.
   */
  public static String compaction(long seed) {
    String unbounded = unbounded(seed);
    if (!isBounded(seed)) {
      return unbounded;
    }
    return Strategies.and(unbounded, unbounded.contains("tiered") ? SPACE_OF_TIERED : SPACE);
  }

  private static String unbounded(long seed) {
    String strategy = Strategies.OURS.get((int) Math.floorMod(seed, (long) Strategies.OURS.size()));
    return Strategies.and(strategy, "'cleaning_threshold': '1'");
  }

  private static boolean isBounded(long seed) {
    return Math.floorMod(seed / SEEDS_ALIKE, 2L) == 1;
  }

  /**
   * Takes the node's home, the seed, how many waves are on disk, and whether this life is the last.
   */
  public static void main(String[] arguments) {
    int exit = 1;
    try {
      Node node = Node.start(new NodeFiles(Path.of(arguments[0]), 1));
      long seed = Long.parseLong(arguments[1]);
      int written = Integer.parseInt(arguments[2]);
      KillSteps life = new KillSteps(node, seed);
      if (Boolean.parseBoolean(arguments[3])) {
        life.last(written);
      } else {
        life.live(written, new Random(seed + written));
      }
      exit = 0;
    } catch (Throwable e) {
      e.printStackTrace();
    }
    System.out.flush();
    Runtime.getRuntime().halt(exit);
  }

  private void live(int written, Random random) {
    if (written == 0) {
      create();
    }
    tables().forEach(ColumnFamilyStore::disableAutoCompaction);
    // Slow enough that a merge takes longer than a parent waits.
    DatabaseDescriptor.setCompactionThroughputMebibytesPerSec(4);
    verify("after a kill", written);
    int last = written == 0 ? FIRST_WAVES - 1 : written;
    for (int wave = written; wave <= last; wave++) {
      write(wave, random);
      if (counting) {
        counts.write(wave);
      }
    }
    System.out.println(WAVES + (last + 1));
    for (ColumnFamilyStore table : tables()) {
      table.enableAutoCompaction();
      CompactionManager.instance.submitBackground(table);
    }
    Thread reporter = new Thread(KillSteps::reportOnceMerging, "teller");
    reporter.setDaemon(true);
    reporter.start();
    while (true) {
      if (random.nextInt(3) > 0) {
        tables().forEach(ColumnFamilyStore::forceMajorCompaction);
      }
      tables().forEach(node::settle);
      // The same again changes nothing, but is something to merge.
      write(last, random);
    }
  }

  /** Sometimes wide SSTables, sometimes many narrow ones: straddlers of both kinds. */
  private void write(int wave, Random random) {
    if (random.nextBoolean()) {
      waves.write(wave, SLICES);
    } else if (isBounded(seed)) {
      waves.writeLayers(wave, LAYERS);
    } else {
      waves.write(wave, 1);
    }
  }

  private static void reportOnceMerging() {
    try {
      Node.await(
          "a merge",
          () ->
              CompactionManager.instance.active.getCompactions().stream()
                  .anyMatch(
                      merge -> merge.getCompactionInfo().getKeyspace().equals(Optional.of("ks"))));
    } catch (AssertionError e) {
      // The parent awaits it for ever.
      e.printStackTrace();
      Runtime.getRuntime().halt(1);
    }
    System.out.println(MERGING);
    System.out.flush();
  }

  private void create() {
    node.createKeyspace();
    Waves.create(node, TABLE, compaction(seed));
    if (counting) {
      // A wave of it is one SSTable, larger than any share of so little.
      counts.create(unbounded(seed));
    }
  }

  private void last(int written) {
    verify("after the last kill", written);
    tables().forEach(node::settle);
    verify("after all merges", written);
    tables().forEach(ColumnFamilyStore::forceMajorCompaction);
    verify("after a major compaction", written);
    for (ColumnFamilyStore table : tables()) {
      if (Node.depth(table.getLiveSSTables()) > 1) {
        throw new AssertionError("more than one run is left: " + table.getLiveSSTables());
      }
    }
    node.drain();
  }

  private void verify(String when, int written) {
    // What was to last a second was written in a former life.
    Node.await(
        "brief rows to expire",
        () -> ManagementFactory.getRuntimeMXBean().getUptime() > BRIEF_MILLIS);
    List<String> differences = new ArrayList<>(waves.differences(written));
    if (counting) {
      differences.addAll(counts.differences(written));
    }
    if (!differences.isEmpty()) {
      throw new AssertionError(
          when
              + ": "
              + differences.size()
              + " rows differ: "
              + differences.stream().limit(10).toList());
    }
    if (!node.complaints().isEmpty()) {
      throw new AssertionError(when + ": the log complains: " + node.complaints());
    }
    System.out.println(VERIFIED + waves.compared());
  }

  private List<ColumnFamilyStore> tables() {
    return counting
        ? List.of(node.table("ks", TABLE), node.table("ks", COUNTERS))
        : List.of(node.table("ks", TABLE));
  }
}
