// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.bench.node;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Random;
import org.apache.cassandra.cql3.QueryProcessor;
import org.apache.cassandra.db.ColumnFamilyStore;
import org.apache.cassandra.db.compaction.AbstractCompactionStrategy;
import org.apache.cassandra.db.compaction.AbstractCompactionTask;
import org.apache.cassandra.db.compaction.ActiveCompactionsTracker;
import org.apache.cassandra.db.compaction.CompactionTasks;
import org.apache.cassandra.dht.Token;
import org.apache.cassandra.io.sstable.format.SSTableReader;
import org.apache.cassandra.io.sstable.metadata.StatsMetadata;
import org.apache.cassandra.utils.ByteBufferUtil;
import org.apache.cassandra.utils.FBUtilities;

/**
 * Meter that asks strategies for work as Cassandra's strategy manager does. It asks each strategy
 * for its estimate of remaining tasks, and then, the largest estimate first, each for its next task
 * until one returns a task.
 */
final class PlanningMeter implements PlanningMeterMXBean {

  private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();
  private static final int ROWS = 8;

  private record Row(long key, Token token) {}

  private record Work(int tasks, AbstractCompactionStrategy strategy) {}

  private final Random random = new Random(1);

  @GuardedBy("this")
  private ColumnFamilyStore table;

  @GuardedBy("this")
  private String insert;

  @GuardedBy("this")
  private byte[] value;

  @GuardedBy("this")
  private long[] spent;

  @Override
  public synchronized void choose(String keyspace, String name, int valueBytes) {
    table = ColumnFamilyStore.getIfExists(keyspace, name);
    insert = "INSERT INTO " + keyspace + "." + name + " (pk, v) VALUES (?, ?)";
    value = new byte[valueBytes];
    random.nextBytes(value);
  }

  @Override
  public synchronized void makeRun(int tables, int level) {
    List<Row> rows = new ArrayList<>();
    for (int i = 0; i < tables * ROWS; i++) {
      long key = random.nextLong();
      rows.add(new Row(key, table.getPartitioner().getToken(ByteBufferUtil.bytes(key))));
    }
    rows.sort(Comparator.comparing(Row::token));
    for (int i = 0; i < rows.size(); i++) {
      QueryProcessor.executeInternal(insert, rows.get(i).key, ByteBuffer.wrap(value));
      if ((i + 1) % ROWS == 0) {
        table.forceBlockingFlush(ColumnFamilyStore.FlushReason.USER_FORCED);
      }
    }
    if (level > 0) {
      table.getLiveSSTables().stream()
          .filter(sstable -> sstable.getSSTableLevel() == 0)
          .forEach(sstable -> move(sstable, level));
    }
  }

  private synchronized void move(SSTableReader sstable, int level) {
    StatsMetadata before = sstable.getSSTableMetadata();
    try {
      sstable.mutateLevelAndReload(level);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    table.getTracker().notifySSTableMetadataChanged(sstable, before);
  }

  @Override
  public synchronized long[] flush(boolean carryOut) {
    makeRun(1, 0);
    spent = new long[4];
    AbstractCompactionTask task = ask();
    while (task != null && carryOut) {
      task.execute(ActiveCompactionsTracker.NOOP);
      task = ask();
    }
    letGo(task);
    return spent;
  }

  @Override
  public synchronized long[] poll() {
    spent = new long[4];
    letGo(ask());
    return spent;
  }

  private static void letGo(AbstractCompactionTask task) {
    if (task != null) {
      CompactionTasks.create(List.of(task)).close();
    }
  }

  @GuardedBy("this")
  private AbstractCompactionTask ask() {
    long gcBefore = table.gcBefore(FBUtilities.nowInSeconds());
    long begun = THREADS.getCurrentThreadCpuTime();
    Work[] works =
        table.getCompactionStrategyManager().getStrategies().stream()
            .flatMap(List::stream)
            .map(strategy -> new Work(strategy.getEstimatedRemainingTasks(), strategy))
            .sorted(Comparator.comparingInt(Work::tasks).reversed())
            .toArray(Work[]::new);
    long estimated = THREADS.getCurrentThreadCpuTime();
    AbstractCompactionTask task =
        Arrays.stream(works)
            .map(work -> work.strategy.getNextBackgroundTask(gcBefore))
            .filter(found -> found != null)
            .findFirst()
            .orElse(null);
    long planned = THREADS.getCurrentThreadCpuTime();
    spent[0]++;
    spent[1] += estimated - begun;
    spent[2] += planned - estimated;
    spent[3] = Math.max(spent[3], planned - begun);
    return task;
  }

  @Override
  public synchronized int getTables() {
    return table.getLiveSSTables().size();
  }

  @Override
  public synchronized int getMaxOverlap() {
    return Recorder.overlap(table).max();
  }
}
