// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.cassandra.node;

import io.coppice.cassandra.sstable.CassandraCompatibility;
import java.nio.file.Path;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.cassandra.config.DatabaseDescriptor;
import org.apache.cassandra.db.ColumnFamilyStore;
import org.apache.cassandra.db.compaction.CompactionInfo;
import org.apache.cassandra.db.compaction.CompactionManager;
import org.apache.cassandra.db.compaction.OperationType;
import org.apache.cassandra.utils.TimeUUID;

/**
 * A node for a console to look at: tables of several strategies, some of them Cassandra's own,
 * written to for as long as somebody holds its standard input open. Says {@code serving} once they
 * are there, and ends by halting: with 0, or with 1 where something failed or the log complains.
 */
public final class ConsoleSteps {

  /** Tables of the keyspace ks, each with the class of its strategy and further options. */
  public static final List<String[]> TABLES =
      List.of(
          new String[] {
            "orders",
            "io.coppice.cassandra.DelayedCompactionStrategy",
            ", 'table_size': '1MiB', 'l0_trigger': '3', 'base_size': '2MiB', 'fanout': '4', 'vct': '8'"
          },
          new String[] {
            "carts",
            "io.coppice.cassandra.SplitForestCompactionStrategy",
            ", 'table_size': '1MiB', 'fanout': '4'"
          },
          new String[] {"by_size", "SizeTieredCompactionStrategy", ""},
          new String[] {"by_level", "LeveledCompactionStrategy", ", 'sstable_size_in_mb': '1'"},
          new String[] {"unified", "UnifiedCompactionStrategy", ""});

  private static final long SEED = Long.getLong("seed", 20261122L);
  private static final int KEYS = 40_000;
  private static final int ROWS = 1000;
  private static final int VALUE = 500;

  private ConsoleSteps() {}

  /** Takes the node's home. */
  public static void main(String[] arguments) {
    int exit = 1;
    try {
      Node node = Node.start(new NodeFiles(Path.of(arguments[0]), 1));
      DatabaseDescriptor.setCompactionThroughputMebibytesPerSec(2);
      CompactionManager.instance.setRateInBytes(2 << 20);
      node.createKeyspace();
      for (String[] table : TABLES) {
        node.cql(TableModel.create(table[0], "{'class': '" + table[1] + "'" + table[2] + "}"));
      }
      // Not by an interrupt, at which Cassandra closes the files that a thread reads.
      CountDownLatch end = new CountDownLatch(1);
      Thread writing = new Thread(() -> write(node, end), "writing");
      writing.setDaemon(true);
      writing.start();
      CompactionManager.instance.active.beginCompaction(
          new EndlessOperation(node.table("ks", "unified")));
      System.out.println("serving");
      while (System.in.read() >= 0) {
        // Only its end counts.
      }
      end.countDown();
      writing.join();
      if (node.complaints().isEmpty()) {
        exit = 0;
      } else {
        System.out.println("the log complains: " + node.complaints());
      }
    } catch (Throwable e) {
      e.printStackTrace();
    }
    System.out.flush();
    Runtime.getRuntime().halt(exit);
  }

  /**
   * An operation on a table that gets further whenever its progress is read, so that two reads
   * differ however far apart they are. A merge may begin and end between them.
   */
  private static final class EndlessOperation extends CompactionInfo.Holder {

    private static final long TOTAL = 64L << 30;
    private static final long PIECE = 1 << 20;

    private final ColumnFamilyStore table;
    private final TimeUUID id = TimeUUID.Generator.nextTimeUUID();
    private final AtomicLong completed = new AtomicLong();

    EndlessOperation(ColumnFamilyStore table) {
      this.table = table;
    }

    @Override
    public CompactionInfo getCompactionInfo() {
      return CassandraCompatibility.info(
          table.metadata(),
          OperationType.VERIFY,
          completed.addAndGet(PIECE),
          TOTAL,
          TOTAL,
          id,
          Set.of(),
          null);
    }

    @Override
    public boolean isGlobal() {
      return false;
    }
  }

  private static void write(Node node, CountDownLatch end) {
    Random random = new Random(SEED);
    char[] value = new char[VALUE];
    try {
      do {
        for (String[] one : TABLES) {
          for (int i = 0; i < ROWS; i++) {
            for (int at = 0; at < VALUE; at++) {
              value[at] = (char) (' ' + random.nextInt(95));
            }
            node.run(
                "INSERT INTO ks." + one[0] + " (pk, ck, v) VALUES (?, 0, ?)",
                random.nextInt(KEYS),
                new String(value));
          }
          for (int i = 0; i < ROWS / 10; i++) {
            node.run("SELECT v FROM ks." + one[0] + " WHERE pk = ?", random.nextInt(KEYS));
          }
          ColumnFamilyStore table = node.table("ks", one[0]);
          node.flush(table);
        }
        // Merges are held back, and are not to fall behind for good.
      } while (!end.await(3, TimeUnit.SECONDS));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } catch (Throwable e) {
      System.out.println("writing has ended: " + e);
      throw e;
    }
  }
}
