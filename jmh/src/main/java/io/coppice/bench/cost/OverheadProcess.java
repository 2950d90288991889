// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.bench.cost;

import com.sun.management.ThreadMXBean;
import io.coppice.Store;
import io.coppice.StoreOptions;
import io.coppice.base.Durability;
import io.coppice.base.MemoryBudget;
import io.coppice.bench.store.ProcessFigures;
import io.coppice.bench.suite.ChildTask;
import io.coppice.bench.suite.ClientThreads;
import io.coppice.bench.suite.Directories;
import io.coppice.bench.suite.ParentLines;
import io.coppice.bench.suite.WrongAnswerException;
import io.coppice.workload.BenchmarkKeys;
import io.coppice.workload.UniformDraws;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.lang.reflect.Method;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import javax.management.JMException;
import javax.management.MBeanServer;
import javax.management.ObjectName;

/**
 * Process with two stores that do the same work in turn. Each writes all keys in random order,
 * waits until no merge is left, and looks all keys up. <em>On</em> is a store that counts, adapts
 * its policy and has beans, which a client reads once per second; its tuner never finds a
 * worthwhile switch. <em>Off</em> is a store with the same policy that counts nothing. The order in
 * a pair of turns alternates. The process writes the {@link Costs} of each turn in a line {@code
 * on} or {@code off}, and the number of completed turns in lines {@code at}.
 */
final class OverheadProcess {

  static final String ON = "on";
  static final String OFF = "off";

  private static final int VALUE_BYTES = 100;
  private static final long ASKED_MILLIS = 1000;

  /**
   * Number of pairs that are not counted, because the compiler is active and the stores are filled
   * in them.
   */
  private static final int WARM = 4;

  private final Path directory;
  private final int keys;
  private final ParentLines parent;
  private final byte[] key = new byte[BenchmarkKeys.BYTES];
  private final byte[] value = new byte[VALUE_BYTES];
  private final ByteBuffer target = ByteBuffer.allocateDirect(VALUE_BYTES);

  private OverheadProcess(Path directory, int keys, ParentLines parent) {
    this.directory = directory;
    this.keys = keys;
    this.parent = parent;
  }

  /**
   * Task of the process.
   *
   * @param directory directory of both stores, for exclusive use; deleted at the end
   * @param keys number of keys written and looked up in each turn
   * @param pairs number of counted pairs of turns
   */
  record Task(Path directory, int keys, int pairs, long seed) implements ChildTask {
    @Override
    public void run(ParentLines parent) throws IOException, InterruptedException {
      new OverheadProcess(directory, keys, parent).run(pairs, seed);
    }
  }

  /** Runs the turns of the given number of pairs and reports them. */
  private void run(int pairs, long seed) throws IOException, InterruptedException {
    Directories.delete(directory);
    Files.createDirectories(directory);
    try (Store on = Store.open(directory.resolve(ON), watched());
        Store off = Store.open(directory.resolve(OFF), unwatched())) {
      for (int pair = -WARM; pair < pairs; pair++) {
        boolean first = pair % 2 == 0;
        for (boolean watched : new boolean[] {first, !first}) {
          Costs costs = turn(watched ? on : off, watched, seed + pair);
          if (pair >= 0) {
            parent.say(watched ? ON : OFF, costs);
          }
        }
        parent.say("at", "pairs " + (pair + WARM + 1) + " " + (pairs + WARM));
      }
    } finally {
      Directories.delete(directory);
    }
  }

  private Costs turn(Store store, boolean watched, long seed) throws InterruptedException {
    CountDownLatch ended = new CountDownLatch(1);
    try (ClientThreads threads = new ClientThreads()) {
      List<Future<Void>> asking = threads.start(watched ? 1 : 0, client -> () -> ask(ended));
      double[] fill;
      double[] read;
      try {
        fill = costs(keys, () -> fill(store, seed));
        read = costs(keys, () -> read(store, seed));
      } finally {
        ended.countDown();
      }
      ClientThreads.results(asking);
      return new Costs(fill[0], read[0], fill[1], read[1]);
    }
  }

  private static StoreOptions watched() {
    return options("watched").policy("adaptive,min_gain=1").jmx(true).build();
  }

  private static StoreOptions unwatched() {
    return uncounted(options("unwatched")).policy("lazy-binomial,k=8,x=0.5").build();
  }

  /** Disables counters and samples of a store by an internal option. */
  private static StoreOptions.Builder uncounted(StoreOptions.Builder options) {
    try {
      Method counting = StoreOptions.Builder.class.getDeclaredMethod("counting", boolean.class);
      counting.setAccessible(true);
      return (StoreOptions.Builder) counting.invoke(options, false);
    } catch (ReflectiveOperationException e) {
      throw new LinkageError("StoreOptions.Builder.counting", e);
    }
  }

  private static StoreOptions.Builder options(String name) {
    return StoreOptions.builder()
        .name(name)
        .memory(MemoryBudget.ofMebibytes(256))
        .memtableBytes(8 << 20)
        .durability(Durability.BUFFERED);
  }

  private void fill(Store store, long seed) {
    UniformDraws draws = new UniformDraws(seed, keys);
    for (int i = 0; i < keys; i++) {
      BenchmarkKeys.write(key, draws.next());
      store.put(key, value);
    }
    store.flush();
    store.awaitIdle();
  }

  private void read(Store store, long seed) {
    UniformDraws draws = new UniformDraws(seed, keys);
    for (int i = 0; i < keys; i++) {
      BenchmarkKeys.write(key, draws.next());
      if (store.getInto(key, target) != VALUE_BYTES) {
        throw new WrongAnswerException("key " + i + " has no value");
      }
    }
  }

  /**
   * Runs work and returns the processor time in nanoseconds and the allocated heap bytes, each per
   * operation.
   */
  private static double[] costs(int operations, Runnable work) {
    ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    long processor = ProcessFigures.processorTime();
    long allocated = threads.getCurrentThreadAllocatedBytes();
    work.run();
    return new double[] {
      (ProcessFigures.processorTime() - processor) / (double) operations,
      (threads.getCurrentThreadAllocatedBytes() - allocated) / (double) operations
    };
  }

  /**
   * Reads all metrics once per second, and at least once, as a monitoring client does. A bean
   * without an answer is a failure.
   */
  private static Void ask(CountDownLatch ended) {
    try {
      do {
        ask();
      } while (!ended.await(ASKED_MILLIS, TimeUnit.MILLISECONDS));
      return null;
    } catch (JMException | RuntimeException | InterruptedException e) {
      throw new IllegalStateException("reading the store's beans failed: " + e, e);
    }
  }

  private static void ask() throws JMException {
    MBeanServer beans = ManagementFactory.getPlatformMBeanServer();
    int stores = 0;
    for (ObjectName bean : beans.queryNames(new ObjectName("io.coppice:*"), null)) {
      if (bean.getKeyProperty("type").equals("Store")) {
        beans.invoke(bean, "snapshot", new Object[0], new String[0]);
        stores++;
      } else if (beans.getAttributes(bean, new String[] {"Count", "Value"}).isEmpty()) {
        // An attribute that fails is left out of the list.
        throw new JMException(bean + " does not answer");
      }
    }
    if (stores == 0) {
      throw new JMException("expected a bean io.coppice:type=Store, found none");
    }
  }
}
