// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.cassandra.node;

import java.nio.file.Path;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.cassandra.config.Config;
import org.apache.cassandra.config.DatabaseDescriptor;
import org.apache.cassandra.db.ColumnFamilyStore;
import org.apache.cassandra.db.lifecycle.LifecycleTransaction;
import org.apache.cassandra.io.sstable.format.SSTableReader;
import org.apache.cassandra.notifications.INotificationConsumer;
import org.apache.cassandra.notifications.SSTableListChangedNotification;
import org.apache.cassandra.service.StorageService;
import org.apache.cassandra.utils.concurrent.Refs;

/**
 * The lives of a node whose disk fills amid a major compaction: one that stops serving, as {@code
 * disk_failure_policy} says, merges on when there is space again, and dies when the policy says so
 * and the disk fills once more; and one after it. Ends with 0, with 1 and a message if something
 * was wrong, or as the policy has it.
 */
public final class DiskFullSteps {

  /** The exit code where no small disk can be mounted. */
  public static final int SKIPPED = 78;

  /** The exit code of a node that its policy ends. */
  public static final int DIED = 100;

  private static final long SEED = Long.getLong("seed", 20261122L);
  private static final String TABLE = "filled";
  private static final String OURS =
      "{'class': 'io.coppice.cassandra.SplitForestCompactionStrategy', 'table_size': '1MiB',"
          + " 'fanout': '32', 'cleaning_threshold': '1'}";
  private static final int PARTITIONS = 2000;
  private static final int VALUE_LENGTH = 4500;
  private static final int RUNS = 3;
  private static final int DISK_MIB = 96;
  private static final int STEPS = 2;

  private final Node node;
  private final TableModel model;

  private DiskFullSteps(Node node) {
    this.node = node;
    this.model = new TableModel(node, TABLE, SEED);
  }

  /** Takes the node's home, and {@code fill} or {@code after}. */
  public static void main(String[] arguments) {
    int exit = 1;
    try {
      DiskFullSteps life = new DiskFullSteps(Node.start(new NodeFiles(Path.of(arguments[0]), 1)));
      exit = arguments[1].equals("fill") ? life.fillTwice() : life.after();
    } catch (Throwable e) {
      e.printStackTrace();
    }
    System.out.flush();
    Runtime.getRuntime().halt(exit);
  }

  private int fillTwice() throws Exception {
    node.createKeyspace();
    node.cql(TableModel.create(TABLE, OURS));
    ColumnFamilyStore table = table();
    Optional<SmallDisk> mounted = SmallDisk.mounted(table, DISK_MIB << 20);
    if (mounted.isEmpty()) {
      return SKIPPED;
    }
    SmallDisk disk = mounted.get();
    // Without its check the merge runs into the wall.
    table.compactionDiskSpaceCheck(false);
    write(0);
    fillAmidAMajor(disk);
    Node.await("the node to stop serving", () -> !StorageService.instance.isGossipRunning());
    check(table.getTracker().getCompacting().isEmpty(), "nothing stays claimed");
    check(Node.depth(table.getLiveSSTables()) > 1, "the merge was cut off");
    model.verify("after the disk was full", PARTITIONS);
    disk.leave(DISK_MIB / 4 << 20);
    table.forceMajorCompaction();
    check(Node.depth(table.getLiveSSTables()) == 1, "the merge has come to its end");
    model.verify("after space came back", PARTITIONS);

    DatabaseDescriptor.setDiskFailurePolicy(Config.DiskFailurePolicy.die);
    disk.leave(DISK_MIB / 2 << 20);
    write(RUNS);
    fillAmidAMajor(disk);
    Node.await("the node to die", () -> false);
    return 1;
  }

  /**
   * Lets a major compaction commit {@link #STEPS} steps, and then leaves no space. References to
   * its inputs keep all their files, so that its steps free nothing.
   */
  private void fillAmidAMajor(SmallDisk disk) {
    AtomicInteger steps = new AtomicInteger();
    // On the thread that commits, so that the next step finds a full disk.
    INotificationConsumer filling =
        (notification, sender) -> {
          if (notification instanceof SSTableListChangedNotification
              && steps.incrementAndGet() == STEPS) {
            disk.fill();
          }
        };
    ColumnFamilyStore table = table();
    table.getTracker().subscribe(filling);
    Refs<SSTableReader> inputs = Refs.ref(table.getLiveSSTables());
    try {
      table.forceMajorCompaction();
    } catch (RuntimeException e) {
      System.out.println("the major compaction ended: " + e);
    } finally {
      table.getTracker().unsubscribe(filling);
      inputs.release();
    }
    check(
        steps.get() == STEPS,
        "a full disk ends the merge after " + STEPS + " steps; it made " + steps);
    LifecycleTransaction.waitForDeletions();
  }

  private int after() {
    table().disableAutoCompaction();
    // The disk is smaller than what Cassandra keeps free.
    table().compactionDiskSpaceCheck(false);
    model.replay(
        () -> {
          write(0);
          write(RUNS);
        });
    model.verify("after the node died", PARTITIONS);
    table().forceMajorCompaction();
    check(Node.depth(table().getLiveSSTables()) == 1, "one run is left");
    model.verify("after all", PARTITIONS);
    node.drain();
    return 0;
  }

  private void write(int from) {
    table().disableAutoCompaction();
    for (int run = from; run < from + RUNS; run++) {
      for (int pk = 0; pk < PARTITIONS; pk++) {
        if ((pk + run) % 17 == 0) {
          model.delete(pk, run % TableModel.ROWS);
        } else {
          model.put(pk, run % TableModel.ROWS, model.value(VALUE_LENGTH));
        }
      }
      model.flush();
    }
  }

  private ColumnFamilyStore table() {
    return node.table("ks", TABLE);
  }

  private static void check(boolean holds, String what) {
    if (!holds) {
      throw new AssertionError("not so: " + what);
    }
  }
}
