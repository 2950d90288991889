// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.bench.node;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.apache.cassandra.db.ColumnFamilyStore;
import org.apache.cassandra.db.compaction.CompactionInfo;
import org.apache.cassandra.db.compaction.CompactionManager;
import org.apache.cassandra.db.lifecycle.LifecycleTransaction;
import org.apache.cassandra.io.sstable.format.SSTableReader;
import org.apache.cassandra.io.util.File;
import org.apache.cassandra.notifications.INotification;
import org.apache.cassandra.notifications.INotificationConsumer;
import org.apache.cassandra.notifications.SSTableAddedNotification;
import org.apache.cassandra.notifications.SSTableListChangedNotification;
import org.apache.cassandra.notifications.SSTableMetadataChanged;
import org.apache.cassandra.service.StorageService;

/**
 * Recorder of one table: it listens to Cassandra's tracker and keeps the size of every SSTable ever
 * made, so that write amplification does not depend on a strategy's own counts.
 *
 * <p>An SSTable is counted once, by its id, when a notification first names it; readers opened
 * early or restored after an abort are the same SSTable. Notifications come from flush and
 * compaction threads, everything else from JMX threads.
 */
final class Recorder implements RecorderMXBean, INotificationConsumer {

  /** Number of consecutive polls without work after which the node counts as quiet. */
  private static final int QUIET_POLLS = 3;

  private static final long POLL_MILLIS = 5;

  /**
   * Seconds without a task after which {@link #settle} gives up on a strategy that still reports
   * remaining tasks.
   */
  private static final long CLAIM_LIMIT_SECONDS = 60;

  /** Counts of changes of the table since {@link #watch}. */
  private static final class Tally {
    private int flushes;
    private long flushedBytes;
    private int rewrites;
    private long rewrittenBytes;
    private int moves;
    private int drops;
  }

  @GuardedBy("this")
  private final Set<String> known = new HashSet<>();

  @GuardedBy("this")
  private Tally tally = new Tally();

  private volatile ColumnFamilyStore table;
  private volatile SpaceMeter space;

  @Override
  public boolean isServing() {
    return StorageService.instance.isDaemonSetupCompleted()
        && StorageService.instance.isNativeTransportRunning();
  }

  @Override
  public void watch(String keyspace, String name) {
    ColumnFamilyStore found = ColumnFamilyStore.getIfExists(keyspace, name);
    if (found == null) {
      throw new IllegalArgumentException("no table " + keyspace + "." + name);
    }
    if (table != null) {
      table.getTracker().unsubscribe(this);
      space.close();
    }
    synchronized (this) {
      known.clear();
      tally = new Tally();
      found.getLiveSSTables().forEach(sstable -> known.add(id(sstable)));
    }
    List<Path> directories =
        found.getDirectories().getCFDirectories().stream().map(File::toPath).toList();
    space = new SpaceMeter(directories);
    table = found;
    found.getTracker().subscribe(this);
  }

  @Override
  public void handleNotification(INotification notification, Object sender) {
    if (notification instanceof SSTableAddedNotification added) {
      synchronized (this) {
        if (added.memtable().isPresent()) {
          tally.flushes++;
          tally.flushedBytes += newBytes(added.added);
        } else {
          tally.rewrittenBytes += newBytes(added.added);
        }
      }
    } else if (notification instanceof SSTableListChangedNotification changed) {
      synchronized (this) {
        long bytes = newBytes(changed.added);
        tally.rewrittenBytes += bytes;
        if (bytes > 0) {
          tally.rewrites++;
        } else if (changed.removed.size() > changed.added.size()) {
          tally.drops++;
        }
      }
      // Outputs are complete and inputs not yet deleted: here the space peaks.
      space.sample();
    } else if (notification instanceof SSTableMetadataChanged changed) {
      boolean moved = changed.sstable.getSSTableLevel() != changed.oldMetadata.sstableLevel;
      synchronized (this) {
        tally.moves += moved ? 1 : 0;
      }
    }
  }

  @GuardedBy("this")
  private long newBytes(Iterable<SSTableReader> added) {
    long bytes = 0;
    for (SSTableReader sstable : added) {
      bytes += known.add(id(sstable)) ? sstable.onDiskLength() : 0;
    }
    return bytes;
  }

  private static String id(SSTableReader sstable) {
    return sstable.descriptor.id.toString();
  }

  @Override
  public String settle(long limitMillis) {
    long deadline = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(limitMillis);
    long quietSince = System.nanoTime();
    try {
      while (true) {
        if (!awaitQuiet(deadline)) {
          return "after %d s still %d running and %d SSTables claimed"
              .formatted(
                  TimeUnit.MILLISECONDS.toSeconds(limitMillis),
                  getRunning().compactions(),
                  table.getTracker().getCompacting().size());
        }
        Changes before = getChanges();
        for (Future<?> asked : CompactionManager.instance.submitBackground(table)) {
          asked.get();
        }
        boolean planned = !awaitQuiet(deadline) || !getChanges().equals(before);
        if (planned) {
          quietSince = System.nanoTime();
        } else if (remainingTasks() == 0) {
          LifecycleTransaction.waitForDeletions();
          return "";
        } else if (System.nanoTime() - quietSince > TimeUnit.SECONDS.toNanos(CLAIM_LIMIT_SECONDS)) {
          return "the strategy reports %d remaining tasks but returned none for %d s"
              .formatted(remainingTasks(), CLAIM_LIMIT_SECONDS);
        }
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return "interrupted";
    } catch (ExecutionException e) {
      return "a background compaction failed: " + e.getCause();
    }
  }

  private boolean awaitQuiet(long deadline) throws InterruptedException {
    int quiet = 0;
    while (quiet < QUIET_POLLS) {
      boolean busy =
          CompactionManager.instance.hasOngoingOrPendingTasks()
              || !table.getTracker().getCompacting().isEmpty();
      quiet = busy ? 0 : quiet + 1;
      if (System.nanoTime() - deadline > 0) {
        return false;
      }
      Thread.sleep(POLL_MILLIS);
    }
    return true;
  }

  private int remainingTasks() {
    return table.getCompactionStrategyManager().getEstimatedRemainingTasks();
  }

  @Override
  public synchronized Changes getChanges() {
    return new Changes(
        tally.flushes,
        tally.flushedBytes,
        tally.rewrites,
        tally.rewrittenBytes,
        tally.moves,
        tally.drops);
  }

  @Override
  public long getUnannouncedBytes() {
    Set<String> named;
    synchronized (this) {
      named = Set.copyOf(known);
    }
    return space.unknownBytes(named);
  }

  @Override
  public Running getRunning() {
    List<CompactionInfo> running =
        CompactionManager.instance.getSSTableTasks().stream()
            .filter(info -> table.metadata().equals(info.getTableMetadata()))
            .toList();
    return new Running(
        running.size(),
        running.stream().mapToLong(info -> info.getTotal() - info.getCompleted()).sum());
  }

  @Override
  public int getTables() {
    return table.getLiveSSTables().size();
  }

  @Override
  public Overlap getOverlap() {
    return overlap(table);
  }

  static Overlap overlap(ColumnFamilyStore table) {
    return Overlap.of(
        table.getLiveSSTables().stream()
            .map(sstable -> new Overlap.Range(first(sstable), last(sstable)))
            .toList());
  }

  private static long first(SSTableReader sstable) {
    return (long) sstable.getFirst().getToken().getTokenValue();
  }

  private static long last(SSTableReader sstable) {
    return (long) sstable.getLast().getToken().getTokenValue();
  }

  @Override
  public List<String> getStrategies() {
    return table.getCompactionStrategyManager().getStrategies().stream()
        .flatMap(List::stream)
        .map(strategy -> strategy.getClass().getName())
        .distinct()
        .sorted()
        .toList();
  }

  @Override
  public void startSpace(long liveBytes) {
    space.start(liveBytes);
  }

  @Override
  public void liveBytes(long liveBytes) {
    space.liveBytes(liveBytes);
  }

  @Override
  public Space getSpace() {
    return space.sample();
  }
}
