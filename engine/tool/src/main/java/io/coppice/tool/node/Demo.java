// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.tool.node;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.coppice.Store;
import io.coppice.StoreOptions;
import io.coppice.base.Durability;
import io.coppice.base.MemoryBudget;
import io.coppice.base.StoreException;
import io.coppice.tool.cli.ByteText;
import io.coppice.tool.cli.CommandOutput;
import io.coppice.tool.console.ChangeStore;
import io.coppice.tool.console.Console;
import io.coppice.tool.console.watch.Endpoint;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.management.ManagementFactory;
import java.net.BindException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import javax.management.MBeanServerConnection;

/**
 * A demonstration: a store in a temporary directory, a gentle load on it, and a console that shows
 * it. {@link #close} removes all three, even after a start that failed halfway. Thread-safe.
 */
final class Demo implements AutoCloseable {

  /** Upper bound of the disk space of a demo in bytes, including logs and running merges. */
  static final long DISK_BYTES = 200_000_000;

  /** Heap that a demo needs, in bytes. */
  static final long HEAP_BYTES = 64 << 20;

  private static final String STORE = "forest";
  private static final String TABLE = STORE + "/default";

  // One flush per second, four flushes per stage, and merges that are slow enough to be seen.
  private static final String POLICY = "split-forest,fanout=4,table_size=128KiB";
  private static final long MEMTABLE_BYTES = 512 << 10;
  private static final long MEMORY_BYTES = 32 << 20;
  private static final long CACHE_BYTES = 1 << 20;
  private static final long COMPACTION_RATE = 2_500_000;
  private static final int COMPACTION_SLOTS = 2;
  private static final long MAX_TRANSIENT_BYTES = 16 << 20;

  /** Bytes of tables above which the demo merges all of them into one run. */
  private static final long COMPACT_ABOVE_BYTES = 100_000_000;

  private static final long PAUSE_ABOVE_BYTES = 150_000_000;

  private static final int KEYS = 100_000;
  private static final int VALUE_BYTES = 190;
  private static final int FIRST_WRITES = 20_000;
  private static final int WRITES = 150;
  private static final int READS = 50;
  private static final int THREADS = 3;
  private static final long TICK_MILLIS = 50;
  private static final long CHECK_MILLIS = 200;
  private static final long END_SECONDS = 60;

  /**
   * Place and limits of a demo.
   *
   * @param base the parent of the temporary directory
   * @param port the port of the page; 0 for any free port
   * @param allowChanges false for a read-only console
   * @param diskBytes bytes that must be free in the base directory
   * @param heapBytes the maximum heap that the JVM must allow
   */
  record Settings(Path base, int port, boolean allowChanges, long diskBytes, long heapBytes) {}

  /** This process as an endpoint, without a network. */
  private static final class Here implements Endpoint {
    @Override
    public String name() {
      return "demo";
    }

    @Override
    public MBeanServerConnection connect() {
      return ManagementFactory.getPlatformMBeanServer();
    }

    @Override
    public void close() {
      // The platform's own beans need no connection.
    }
  }

  /** A change store without a file, because changes end with the demo. */
  private static final class Forgotten implements ChangeStore {
    @Override
    public List<String> lines() {
      return List.of();
    }

    @Override
    public void append(String line) {
      // The console lists the changes while it runs.
    }
  }

  private final Settings settings;
  private final CountDownLatch ended = new CountDownLatch(1);

  // start() holds the monitor to its end, so close() sees everything it made.
  @GuardedBy("this")
  private Path directory;

  /** Store of the demo, set before the threads of {@link #load} start, which read it. */
  private Store store;

  @GuardedBy("this")
  private Console console;

  @GuardedBy("this")
  private ScheduledExecutorService load;

  private volatile boolean closed;
  private volatile boolean paused;
  private volatile Throwable failure;

  Demo(Settings settings) {
    this.settings = settings;
  }

  /**
   * Starts store, load and console; does nothing after {@link #close}.
   *
   * @throws IOException if heap, directory, disk space or port are missing, or the store does not
   *     open; the message names a remedy
   */
  synchronized void start() throws IOException {
    if (closed) {
      return;
    }
    requireHeap();
    directory = newDirectory();
    requireDisk();
    try {
      store = Store.open(directory.resolve("store"), options());
    } catch (StoreException | UncheckedIOException e) {
      throw new IOException("the demo failed to open its store: " + e.getMessage(), e);
    }
    console = startConsole();
    load =
        Executors.newScheduledThreadPool(
            THREADS,
            task -> {
              Thread thread = new Thread(task, "coppice-demo");
              thread.setDaemon(true);
              return thread;
            });
    Random random = new Random(1);
    load.execute(() -> guarded(() -> write(FIRST_WRITES, random)));
    // With a fixed delay, a machine that wakes from sleep has no backlog of ticks.
    load.scheduleWithFixedDelay(
        () -> guarded(() -> tick(random)), 0, TICK_MILLIS, TimeUnit.MILLISECONDS);
    load.scheduleWithFixedDelay(() -> guarded(this::check), 0, CHECK_MILLIS, TimeUnit.MILLISECONDS);
    load.scheduleWithFixedDelay(() -> guarded(this::tidy), 0, CHECK_MILLIS, TimeUnit.MILLISECONDS);
  }

  private void requireHeap() throws IOException {
    long heap = Runtime.getRuntime().maxMemory();
    if (heap < settings.heapBytes()) {
      throw new IOException(
          "the demo needs a heap of at least "
              + ByteText.format(settings.heapBytes())
              + ", and this JVM allows "
              + ByteText.format(heap)
              + "; start it with java -Xmx256m -jar ..., or give the machine or container more memory");
    }
  }

  private Path newDirectory() throws IOException {
    Path base = settings.base();
    try {
      return Files.createTempDirectory(base, "coppice-demo-");
    } catch (IOException e) {
      throw new IOException(
          "the demo failed to create a directory in "
              + base
              + " ("
              + (!Files.exists(base)
                  ? base + " does not exist"
                  : !Files.isDirectory(base)
                      ? base + " is a file"
                      : !Files.isWritable(base)
                          ? base + " is not writable"
                          : CommandOutput.cause(e))
              + "); choose a writable directory: java -Djava.io.tmpdir=DIRECTORY -jar ...",
          e);
    }
  }

  @GuardedBy("this")
  private void requireDisk() throws IOException {
    long free = Files.getFileStore(directory).getUsableSpace();
    if (free < settings.diskBytes()) {
      throw new IOException(
          "the demo needs "
              + ByteText.format(settings.diskBytes())
              + " of disk, and "
              + settings.base()
              + " has "
              + ByteText.format(free)
              + " free; free some space, or choose another directory: java -Djava.io.tmpdir=DIRECTORY -jar ...");
    }
  }

  private static StoreOptions options() {
    return StoreOptions.builder()
        .name(STORE)
        .jmx(true)
        .policy(POLICY)
        .memory(MemoryBudget.ofBytes(MEMORY_BYTES))
        .memtableBytes(MEMTABLE_BYTES)
        .blockCacheBytes(CACHE_BYTES)
        .compactionRate(COMPACTION_RATE)
        .compactionSlots(COMPACTION_SLOTS)
        .maxTransientSpace(MAX_TRANSIENT_BYTES)
        .io("read")
        .reader("serial")
        .durability(Durability.NONE)
        .build();
  }

  private Console startConsole() throws IOException {
    try {
      return Console.start(
          new Console.Options(List.of(new Here()), settings.port(), settings.allowChanges()),
          new Forgotten());
    } catch (BindException e) {
      throw new IOException(portRefused(settings.port(), e), e);
    }
  }

  /** Returns the reason why a console has no port, and a remedy. */
  static String portRefused(int port, BindException failure) {
    return port == 0
        ? "opening a port on 127.0.0.1 failed (" + failure.getMessage() + "); end some programs"
        : "--port ("
            + port
            + ") failed to open on 127.0.0.1 ("
            + failure.getMessage()
            + "); choose another port, or remove --port to use any free one";
  }

  private void write(int entries, Random random) {
    byte[] value = new byte[VALUE_BYTES];
    for (int i = 0; i < entries && !paused && !closed; i++) {
      random.nextBytes(value);
      store.put(key(random), value);
    }
  }

  private static byte[] key(Random random) {
    return String.format("tree%06d", random.nextInt(KEYS)).getBytes(StandardCharsets.US_ASCII);
  }

  private void tick(Random random) {
    write(WRITES, random);
    for (int i = 0; i < READS; i++) {
      store.get(key(random));
    }
  }

  /**
   * Pauses writes while the tables exceed {@link #PAUSE_ABOVE_BYTES}, in case {@link #tidy} falls
   * behind.
   */
  private void check() {
    paused = store.stats().tableBytes() > PAUSE_ABOVE_BYTES;
  }

  /** Merges all tables into one run once old versions take most of the disk space of the demo. */
  private void tidy() {
    if (store.stats().tableBytes() > COMPACT_ABOVE_BYTES) {
      store.compact();
    }
  }

  private void guarded(Runnable task) {
    try {
      task.run();
    } catch (RuntimeException | Error e) {
      if (!closed) {
        failure = e;
        ended.countDown();
      }
    }
  }

  /**
   * Returns the address of the page with the demo's table. The demo must have started successfully.
   */
  synchronized URI address() {
    return console.address(new Here().name(), TABLE);
  }

  /** Returns the temporary directory, or null before the start. */
  synchronized Path directory() {
    return directory;
  }

  /**
   * Waits until the demo is closed or fails.
   *
   * @throws IOException if the load or the store failed; the message says why
   */
  void await() throws IOException, InterruptedException {
    ended.await();
    if (failure != null) {
      throw new IOException("the demo ends: " + failure.getMessage(), failure);
    }
  }

  @Override
  public void close() throws IOException {
    closed = true;
    try {
      closeAll();
    } finally {
      ended.countDown();
    }
  }

  private synchronized void closeAll() throws IOException {
    if (load != null) {
      // An interrupt would close the file of a writing thread, so the load ends without one.
      load.shutdown();
    }
    if (console != null) {
      console.close();
    }
    try {
      if (store != null) {
        store.close();
      }
      if (load != null) {
        load.awaitTermination(END_SECONDS, TimeUnit.SECONDS);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } finally {
      if (directory != null && Files.exists(directory)) {
        remove(directory);
      }
    }
  }

  private static void remove(Path directory) throws IOException {
    Files.walkFileTree(
        directory,
        new SimpleFileVisitor<>() {
          @Override
          public FileVisitResult visitFile(Path file, BasicFileAttributes attributes)
              throws IOException {
            Files.delete(file);
            return FileVisitResult.CONTINUE;
          }

          @Override
          public FileVisitResult postVisitDirectory(Path visited, IOException failure)
              throws IOException {
            Files.delete(visited);
            return FileVisitResult.CONTINUE;
          }
        });
  }
}
