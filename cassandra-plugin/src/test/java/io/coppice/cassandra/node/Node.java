// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.cassandra.node;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.time.Duration;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import javax.management.JMException;
import javax.management.ObjectName;
import org.apache.cassandra.cql3.QueryProcessor;
import org.apache.cassandra.cql3.UntypedResultSet;
import org.apache.cassandra.db.ColumnFamilyStore;
import org.apache.cassandra.db.ConsistencyLevel;
import org.apache.cassandra.db.Keyspace;
import org.apache.cassandra.db.compaction.CompactionManager;
import org.apache.cassandra.io.sstable.format.SSTableReader;
import org.apache.cassandra.service.CassandraDaemon;
import org.apache.cassandra.service.StorageService;

/** The one real Cassandra node of this JVM, driven in process. It ends with the JVM. */
public final class Node {

  private static final Duration PATIENCE = Duration.ofSeconds(120);

  private final NodeFiles files;

  private Node(NodeFiles files) {
    this.files = files;
  }

  /** Starts the node; no class of Cassandra may have been initialised before. */
  public static Node start(NodeFiles files) {
    files.prepare().forEach(System::setProperty);
    new CassandraDaemon(true).activate();
    return new Node(files);
  }

  public NodeFiles files() {
    return files;
  }

  /** Runs a statement as a client's coordinator would. */
  public UntypedResultSet cql(String statement) {
    return QueryProcessor.process(statement, ConsistencyLevel.ONE);
  }

  /** Runs a statement on this node alone, with values bound. */
  public UntypedResultSet run(String statement, Object... values) {
    return QueryProcessor.executeInternal(statement, values);
  }

  public ColumnFamilyStore table(String keyspace, String table) {
    return Keyspace.open(keyspace).getColumnFamilyStore(table);
  }

  public void flush(ColumnFamilyStore table) {
    table.forceBlockingFlush(ColumnFamilyStore.FlushReason.UNIT_TESTS);
  }

  /** Flushes everything and stops taking writes, as before a planned stop. */
  public void drain() {
    try {
      StorageService.instance.drain();
    } catch (Exception e) {
      throw new AssertionError(e);
    }
  }

  /** Waits until the strategy wants nothing and nothing of the table is being compacted. */
  public void settle(ColumnFamilyStore table) {
    // What was asked for while an operation had paused compaction is asked again only every minute.
    CompactionManager.instance.submitBackground(table);
    try {
      await(
          "compaction of " + table + " to end",
          () ->
              table.getCompactionStrategyManager().getEstimatedRemainingTasks() == 0
                  && table.getTracker().getCompacting().isEmpty());
    } catch (AssertionError e) {
      throw new AssertionError(
          table.getCompactionStrategyManager().getEstimatedRemainingTasks()
              + " tasks are left of "
              + table.getCompactionStrategyManager().getCompactionParams()
              + ", "
              + table.getTracker().getCompacting()
              + " are being compacted of "
              + table.getLiveSSTables(),
          e);
    }
  }

  /** Waits for something that will happen by itself; fails if it takes far too long. */
  public static void await(String what, BooleanSupplier happened) {
    long deadline = System.nanoTime() + PATIENCE.toNanos();
    while (!happened.getAsBoolean()) {
      if (System.nanoTime() > deadline) {
        throw new AssertionError("waited " + PATIENCE + " for " + what);
      }
      LockSupport.parkNanos(Duration.ofMillis(20).toNanos());
    }
  }

  /** An attribute of the strategy's bean. */
  public Object bean(String table, String attribute) {
    try {
      return ManagementFactory.getPlatformMBeanServer().getAttribute(beanName(table), attribute);
    } catch (JMException e) {
      throw new AssertionError(e);
    }
  }

  /**
   * Calls an operation of the strategy's bean.
   *
   * @throws AssertionError with what the bean has thrown as its root cause
   */
  public Object call(String table, String operation, String... arguments) {
    String[] types = new String[arguments.length];
    Arrays.fill(types, String.class.getName());
    try {
      return ManagementFactory.getPlatformMBeanServer()
          .invoke(beanName(table), operation, arguments, types);
    } catch (JMException e) {
      throw new AssertionError(e);
    }
  }

  public boolean hasBean(String table) {
    return ManagementFactory.getPlatformMBeanServer().isRegistered(beanName(table));
  }

  private static ObjectName beanName(String table) {
    try {
      return new ObjectName("io.coppice:type=Strategy,keyspace=ks,table=" + table);
    } catch (JMException e) {
      throw new AssertionError(e);
    }
  }

  /** Most of the SSTables that may hold one token, at any token: 1 means one run. */
  public static int depth(Collection<SSTableReader> sstables) {
    int depth = 0;
    for (SSTableReader starting : sstables) {
      int over = 0;
      for (SSTableReader other : sstables) {
        boolean covers =
            other.getFirst().compareTo(starting.getFirst()) <= 0
                && starting.getFirst().compareTo(other.getLast()) <= 0;
        over += covers ? 1 : 0;
      }
      depth = Math.max(depth, over);
    }
    return depth;
  }

  /**
   * Lines of the node's log at level ERROR, and those that name a leaked reference; but for what
   * Cassandra's search for loops and candidates says each quarter of an hour, as on JDK 17 it
   * cannot look into lambdas and names what its own tables use.
   */
  public List<String> complaints() {
    try {
      return Arrays.stream(Files.readString(files.log()).split("\n"))
          .filter(line -> line.startsWith("ERROR") || line.contains("LEAK DETECTED"))
          .filter(line -> !line.contains("[Strong-Reference-Leak-Detector"))
          .toList();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
