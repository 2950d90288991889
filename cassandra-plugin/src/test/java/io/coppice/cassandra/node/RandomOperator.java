// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.cassandra.node;

import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.Collectors;
import org.apache.cassandra.db.ColumnFamilyStore;
import org.apache.cassandra.db.compaction.CompactionInterruptedException;
import org.apache.cassandra.db.compaction.CompactionManager;
import org.apache.cassandra.io.sstable.format.SSTableFormat.Components;
import org.apache.cassandra.io.sstable.format.SSTableReader;
import org.apache.cassandra.service.StorageService;

/**
 * An operator of a node with random habits: what nodetool calls over JMX, ALTER to any strategy,
 * and live tuning. One operation at a time, in a thread of its own; what it does next follows from
 * the seed, and does not depend on how the last one went.
 */
public final class RandomOperator implements AutoCloseable {

  private final ExecutorService hands = Executors.newSingleThreadExecutor();
  private final Random random;
  private final Node node;
  private final Map<String, Integer> done = new TreeMap<>();
  private Future<?> doing;
  private int snapshots;

  public RandomOperator(Node node, long seed) {
    this.node = node;
    this.random = new Random(seed);
  }

  /** Operations by name, and how often each was begun. */
  public Map<String, Integer> done() {
    return done;
  }

  private interface Work {
    void run() throws Exception;
  }

  /** Begins something to a table once what was begun before has ended. */
  public void next(RandomTable table) {
    String name = table.name();
    StorageService service = StorageService.instance;
    switch (random.nextInt(20)) {
      case 0 -> begin("compact", () -> service.forceKeyspaceCompaction(false, "ks", name));
      case 1 -> begin("compact -s", () -> service.forceKeyspaceCompaction(true, "ks", name));
      case 2, 3 -> stop(table);
      case 4 -> {
        String option = random.nextBoolean() ? "ROW" : "CELL";
        begin("garbagecollect", () -> service.garbageCollect(option, 1, "ks", name));
      }
      case 5 -> begin("flush", () -> service.forceKeyspaceFlush("ks", name));
      case 6 -> begin("cleanup", () -> service.forceKeyspaceCleanup(1, "ks", name));
      case 7 -> begin("upgradesstables -a", () -> rewrite(table.store()));
      case 8 -> begin("relocatesstables", () -> service.relocateSSTables(1, "ks", name));
      case 9 -> {
        String tag = "snapshot" + snapshots++;
        begin("snapshot", () -> service.takeSnapshot(tag, Map.of(), "ks." + name));
      }
      case 10 -> begin("clearsnapshot", () -> service.clearSnapshot(Map.of(), "", "ks"));
      case 11 -> begin("disableautocompaction", () -> service.disableAutoCompaction("ks", name));
      case 12, 13 -> begin("enableautocompaction", () -> service.enableAutoCompaction("ks", name));
      case 14 -> namedSstables(table.store());
      case 15 -> tune(name);
      default -> alter(table);
    }
  }

  private static void rewrite(ColumnFamilyStore table) throws Exception {
    StorageService.instance.upgradeSSTables("ks", false, Long.MAX_VALUE, 1, table.name);
  }

  private void alter(RandomTable table) {
    String compaction = Strategies.any(random);
    if (random.nextInt(4) == 0) {
      compaction = Strategies.STOCK.get(random.nextInt(Strategies.STOCK.size()));
    } else if (random.nextInt(4) == 0) {
      compaction = Strategies.and(compaction, "'max_transient_space': '60%'");
    } else if (random.nextInt(4) == 0) {
      compaction =
          Strategies.and(
              compaction, "'tombstone_threshold': '0.1', 'tombstone_compaction_interval': '0'");
    }
    String wanted = compaction;
    begin("alter", () -> table.alter(wanted));
  }

  /** A major compaction that is told to stop, perhaps amid its work. */
  private void stop(RandomTable table) {
    int spins = random.nextInt(200);
    begin(
        "stop",
        () -> {
          Thread major = new Thread(() -> major(table.store()), "major");
          major.start();
          for (int i = 0; i < spins && major.isAlive(); i++) {
            major.join(1);
          }
          CompactionManager.instance.stopCompaction("MAJOR_COMPACTION");
          CompactionManager.instance.stopCompaction("COMPACTION");
          major.join();
        });
  }

  /** A major compaction that is perhaps told to stop once some of the SSTables have gone. */
  public void partOfMajor(RandomTable table) {
    boolean stops = random.nextInt(4) > 0;
    begin(
        "part of compact",
        () -> {
          Set<SSTableReader> before = table.store().getLiveSSTables();
          Thread major = new Thread(() -> major(table.store()), "major");
          major.start();
          while (major.isAlive() && table.store().getLiveSSTables().containsAll(before)) {
            major.join(1);
          }
          if (stops) {
            CompactionManager.instance.stopCompaction("MAJOR_COMPACTION");
          }
          major.join();
        });
  }

  /** True while what was begun has not ended. */
  public boolean busy() {
    return doing != null && !doing.isDone();
  }

  private static void major(ColumnFamilyStore table) {
    try {
      table.forceMajorCompaction();
    } catch (RuntimeException e) {
      if (!interrupted(e)) {
        throw e;
      }
    }
  }

  /** Whether something was stopped, or put off for lack of the space that its table allows. */
  private static boolean interrupted(Throwable failure) {
    for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
      if (cause instanceof CompactionInterruptedException) {
        return true;
      }
    }
    return false;
  }

  private void namedSstables(ColumnFamilyStore table) {
    int most = 1 + random.nextInt(4);
    begin(
        "compact --user-defined",
        () -> {
          List<String> named =
              table.getLiveSSTables().stream()
                  .limit(most)
                  .map(sstable -> sstable.descriptor.fileFor(Components.DATA).absolutePath())
                  .collect(Collectors.toList());
          // Cassandra's own strategies have no task if something else has one of them, and that
          // it does not expect.
          if (!named.isEmpty() && ours(table)) {
            CompactionManager.instance.forceUserDefinedCompaction(String.join(",", named));
          }
        });
  }

  private static boolean ours(ColumnFamilyStore table) {
    return table
        .getCompactionStrategyManager()
        .getCompactionParams()
        .klass()
        .getName()
        .startsWith("io.coppice.");
  }

  private void tune(String table) {
    String setting = "cleaning_threshold=" + random.nextInt(5);
    begin(
        "tune",
        () -> {
          if (node.hasBean(table)) {
            node.call(table, "apply", setting, "");
          }
        });
  }

  private void begin(String what, Work work) {
    finish();
    done.merge(what, 1, Integer::sum);
    doing =
        hands.submit(
            () -> {
              work.run();
              return null;
            });
  }

  /** Waits until what was begun has ended. */
  public void finish() {
    try {
      if (doing != null) {
        doing.get();
      }
    } catch (ExecutionException e) {
      if (interrupted(e)) {
        return;
      }
      throw new AssertionError("an operation failed: " + done, e.getCause());
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    } finally {
      doing = null;
    }
  }

  @Override
  public void close() {
    hands.shutdownNow();
  }
}
