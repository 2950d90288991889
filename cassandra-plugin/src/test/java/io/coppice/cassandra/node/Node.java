// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.cassandra.node;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import javax.management.JMException;
import javax.management.ObjectName;
import org.apache.cassandra.config.DatabaseDescriptor;
import org.apache.cassandra.cql3.QueryProcessor;
import org.apache.cassandra.cql3.UntypedResultSet;
import org.apache.cassandra.db.ColumnFamilyStore;
import org.apache.cassandra.db.ConsistencyLevel;
import org.apache.cassandra.db.Keyspace;
import org.apache.cassandra.db.compaction.CompactionManager;
import org.apache.cassandra.db.lifecycle.LifecycleTransaction;
import org.apache.cassandra.index.SecondaryIndexManager;
import org.apache.cassandra.io.sstable.Descriptor;
import org.apache.cassandra.io.sstable.SSTable;
import org.apache.cassandra.io.sstable.format.SSTableReader;
import org.apache.cassandra.service.CassandraDaemon;
import org.apache.cassandra.service.StorageService;

/** The one real Cassandra node of this JVM, driven in process. It ends with the JVM. */
public final class Node {

  private static final Duration PATIENCE = Duration.ofSeconds(120);
  private static final String BEANS = "io.coppice:type=Strategy,keyspace=ks,table=";

  private static Node shared;

  private final NodeFiles files;
  private final long logStart;

  private Node(NodeFiles files, long logStart) {
    this.files = files;
    this.logStart = logStart;
  }

  /** Starts the node; no class of Cassandra may have been initialised before. */
  public static Node start(NodeFiles files) {
    files.prepare().forEach(System::setProperty);
    new CassandraDaemon(true).activate();
    return new Node(files, 0);
  }

  /**
   * Starts a node that no later process opens again; it does not flush its schema with each change.
   */
  public static Node startForThisJvmOnly(NodeFiles files) {
    System.setProperty("cassandra.test.flush_local_schema_changes", "false");
    return start(files);
  }

  /**
   * Returns the node that the test classes of this JVM share, with an empty keyspace ks. The first
   * call starts it. Each later call removes the tables, beans, history and settings of the class
   * before, and {@link #complaints} covers only the time since then.
   */
  public static synchronized Node shared() {
    if (shared == null) {
      String home = "shared" + System.getProperty("coppice.fork", "");
      shared = startForThisJvmOnly(NodeFiles.fresh(home, 1));
    }
    return shared.emptied();
  }

  private Node emptied() {
    cql("DROP KEYSPACE IF EXISTS ks");
    await("the beans of dropped tables to go", () -> beans().isEmpty());
    LifecycleTransaction.waitForDeletions();
    table("system", "compaction_history").truncateBlocking();
    throttle(0);
    createKeyspace();
    await(
        "compactions of other tables to end",
        () -> CompactionManager.instance.active.getCompactions().isEmpty());
    try {
      return new Node(files, Files.size(files.log()));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Creates the keyspace ks, which holds all tables of the tests. */
  public void createKeyspace() {
    cql(
        "CREATE KEYSPACE ks WITH replication = {'class': 'SimpleStrategy',"
            + " 'replication_factor': 1}");
  }

  /** Bounds the rate of compactions, including those that run; 0 for no bound. */
  public static void throttle(int bytesPerSecond) {
    DatabaseDescriptor.setCompactionThroughputBytesPerSec(bytesPerSecond);
    CompactionManager.instance.setRateInBytes(bytesPerSecond);
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

  /** Waits until all indexes of the table are built and can be read. */
  public void awaitIndexes(ColumnFamilyStore table) {
    SecondaryIndexManager indexes = table.indexManager;
    await(
        "the indexes of " + table + " to answer",
        () -> indexes.listIndexes().stream().allMatch(indexes::isIndexQueryable));
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

  private static Set<ObjectName> beans() {
    return ManagementFactory.getPlatformMBeanServer().queryNames(beanName("*"), null);
  }

  public boolean hasBean(String table) {
    return ManagementFactory.getPlatformMBeanServer().isRegistered(beanName(table));
  }

  private static ObjectName beanName(String table) {
    try {
      return new ObjectName(BEANS + table);
    } catch (JMException e) {
      throw new AssertionError(e);
    }
  }

  /**
   * Gives a table the SSTables of another one with the same columns, as hard links, so that many
   * tests can begin with data that is written once.
   */
  public void copy(ColumnFamilyStore from, ColumnFamilyStore to) {
    List<SSTableReader> copies = new ArrayList<>();
    for (SSTableReader source :
        from.getLiveSSTables().stream().sorted(SSTableReader.idComparator).toList()) {
      Descriptor copy = to.newSSTableDescriptor(to.getDirectories().getDirectoryForNewSSTables());
      SSTable.hardlink(source.descriptor, copy, source.getComponents());
      copies.add(SSTableReader.open(to, copy, source.getComponents(), to.metadata));
    }
    to.addSSTables(copies);
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
   * cannot look into lambdas and names what its own tables use. On the shared node only lines since
   * {@link #shared} returned it count.
   */
  public List<String> complaints() {
    try {
      byte[] log = Files.readAllBytes(files.log());
      int from = (int) logStart;
      return new String(log, from, log.length - from, StandardCharsets.UTF_8)
          .lines()
          .filter(line -> line.startsWith("ERROR") || line.contains("LEAK DETECTED"))
          .filter(line -> !line.contains("[Strong-Reference-Leak-Detector"))
          .toList();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
