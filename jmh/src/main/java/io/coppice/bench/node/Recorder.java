// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.bench.node;

import java.nio.file.Path;
import java.util.ArrayList;
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
 * Listens to one table's tracker and keeps the size of every SSTable ever made, so that write
 * amplification does not rest on what a strategy says about itself.
 *
 * <p>An SSTable is counted once, by its id, when a notification first names it; readers opened
 * early or restored after an abort are the same SSTable. Notifications come from flush and
 * compaction threads, everything else from JMX threads; the object's lock guards the counts.
 */
final class Recorder implements RecorderMXBean, INotificationConsumer {

  /** Polls in a row that must find the node quiet. */
  private static final int QUIET_POLLS = 3;

  private static final long POLL_MILLIS = 5;

  /** Longest time that a strategy may report remaining work without a plan. */
  private static final long CLAIM_LIMIT_SECONDS = 60;

  private final Set<String> known = new HashSet<>();
  private final List<Long> flushed = new ArrayList<>();
  private final List<Long> rewritten = new ArrayList<>();
  private int flushes;
  private int rewrites;
  private int moves;
  private int drops;

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
      flushed.clear();
      rewritten.clear();
      flushes = 0;
      rewrites = 0;
      moves = 0;
      drops = 0;
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
      boolean flush = added.memtable().isPresent();
      synchronized (this) {
        flushes += flush ? 1 : 0;
        added.added.forEach(sstable -> count(sstable, flush ? flushed : rewritten));
      }
    } else if (notification instanceof SSTableListChangedNotification changed) {
      synchronized (this) {
        int before = rewritten.size();
        changed.added.forEach(sstable -> count(sstable, rewritten));
        if (rewritten.size() > before) {
          rewrites++;
        } else if (changed.removed.size() > changed.added.size()) {
          drops++;
        }
      }
      // Outputs are complete and inputs not yet deleted: here the space peaks.
      space.sample();
    } else if (notification instanceof SSTableMetadataChanged changed) {
      synchronized (this) {
        moves += changed.sstable.getSSTableLevel() != changed.oldMetadata.sstableLevel ? 1 : 0;
      }
    }
  }

  private void count(SSTableReader sstable, List<Long> sizes) {
    if (known.add(id(sstable))) {
      sizes.add(sstable.onDiskLength());
    }
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
                  getRunning(),
                  table.getTracker().getCompacting().size());
        }
        long before = events();
        for (Future<?> asked : CompactionManager.instance.submitBackground(table)) {
          asked.get();
        }
        boolean planned = !awaitQuiet(deadline) || events() != before;
        if (planned) {
          quietSince = System.nanoTime();
        } else if (getPending() == 0) {
          LifecycleTransaction.waitForDeletions();
          return "";
        } else if (System.nanoTime() - quietSince > TimeUnit.SECONDS.toNanos(CLAIM_LIMIT_SECONDS)) {
          return "it says that %d tasks remain and plans none".formatted(getPending());
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

  private synchronized long events() {
    return (long) rewritten.size() + moves + drops;
  }

  @Override
  public synchronized int getFlushes() {
    return flushes;
  }

  @Override
  public synchronized long[] getFlushedSizes() {
    return flushed.stream().mapToLong(Long::longValue).toArray();
  }

  @Override
  public synchronized long[] getRewrittenSizes() {
    return rewritten.stream().mapToLong(Long::longValue).toArray();
  }

  @Override
  public synchronized int getRewrites() {
    return rewrites;
  }

  @Override
  public synchronized int getMoves() {
    return moves;
  }

  @Override
  public synchronized int getDrops() {
    return drops;
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
  public int getPending() {
    return table.getCompactionStrategyManager().getEstimatedRemainingTasks();
  }

  @Override
  public int getRunning() {
    return running().size();
  }

  @Override
  public long getRunningBytes() {
    return running().stream().mapToLong(info -> info.getTotal() - info.getCompleted()).sum();
  }

  private List<CompactionInfo> running() {
    return CompactionManager.instance.getSSTableTasks().stream()
        .filter(info -> table.metadata().equals(info.getTableMetadata()))
        .toList();
  }

  @Override
  public int getTables() {
    return table.getLiveSSTables().size();
  }

  @Override
  public double getMeanOverlap() {
    return overlap(table).mean();
  }

  @Override
  public int getMaxOverlap() {
    return overlap(table).max();
  }

  @Override
  public double[] getOverlapShares() {
    return overlap(table).shares().stream().mapToDouble(Double::doubleValue).toArray();
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
  public long getSpaceBytes() {
    return space.sample();
  }

  @Override
  public long getPeakSpaceBytes() {
    return space.peakBytes();
  }

  @Override
  public double getMeanSpaceRatio() {
    return space.meanRatio();
  }

  @Override
  public double getPeakSpaceRatio() {
    return space.peakRatio();
  }

  @Override
  public int getSpaceSamples() {
    return space.samples();
  }
}
