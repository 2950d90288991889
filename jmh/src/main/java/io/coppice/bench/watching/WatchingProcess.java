// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.bench.watching;

import com.sun.management.OperatingSystemMXBean;
import com.sun.management.ThreadMXBean;
import io.coppice.Store;
import io.coppice.StoreOptions;
import io.coppice.Uncounted;
import io.coppice.base.Durability;
import io.coppice.base.MemoryBudget;
import io.coppice.bench.Directories;
import io.coppice.bench.suite.WrongAnswerException;
import io.coppice.workload.Draws;
import io.coppice.workload.Keys;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import javax.management.JMException;
import javax.management.MBeanServer;
import javax.management.ObjectName;

/**
 * One process of a pair: writes keys in random order, lets merges come to rest, and looks all up.
 * <em>On</em> is a store that counts, adapts and has beans, which are asked for everything once a
 * second; its policy never finds a switch worth it. <em>Off</em> is the same policy alone, in a
 * store that counts nothing. Tells its {@link Costs} in a line {@code result}.
 */
final class WatchingProcess {

  static final String ON = "on";
  static final String OFF = "off";

  private static final int VALUE_BYTES = 100;
  private static final long ASKED_MILLIS = 1000;

  /** Of what is measured, the share that is done before on a store of its own. */
  private static final int WARM = 4;

  private final boolean on;
  private final Path directory;
  private final byte[] key = new byte[Keys.BYTES];
  private final byte[] value = new byte[VALUE_BYTES];
  private final ByteBuffer target = ByteBuffer.allocateDirect(VALUE_BYTES);

  private WatchingProcess(boolean on, Path directory) {
    this.on = on;
    this.directory = directory;
  }

  /** Arguments: on or off, the directory, how many keys, the seed. */
  public static void main(String[] args) throws IOException {
    WatchingProcess process = new WatchingProcess(args[0].equals(ON), Path.of(args[1]));
    System.out.println(
        "result " + process.run(Integer.parseInt(args[2]), Long.parseLong(args[3])).words());
  }

  /** In this process, as its tests do. */
  static Costs measure(boolean on, Path directory, int keys, long seed) throws IOException {
    return new WatchingProcess(on, directory).run(keys, seed);
  }

  private Costs run(int keys, long seed) throws IOException {
    once(Math.max(1, keys / WARM), ~seed);
    return once(keys, seed);
  }

  private Costs once(int keys, long seed) throws IOException {
    Directories.delete(directory);
    try (Store store = Store.open(directory, options())) {
      Asking asking = new Asking();
      if (on) {
        asking.start();
      }
      Costs costs;
      try {
        double[] fill = costs(keys, () -> fill(store, keys, seed));
        double[] read = costs(keys, () -> read(store, keys, seed));
        costs = new Costs(fill[0], read[0], fill[1], read[1]);
      } finally {
        asking.end();
      }
      asking.check();
      return costs;
    } finally {
      Directories.delete(directory);
    }
  }

  private StoreOptions options() {
    StoreOptions.Builder options =
        StoreOptions.builder()
            .name("watching")
            .memory(MemoryBudget.ofMebibytes(256))
            .memtableBytes(8 << 20)
            .durability(Durability.BUFFERED);
    // The fourth rung is that policy.
    return on
        ? options.policy("adaptive,min_gain=1").jmx(true).build()
        : Uncounted.of(options).policy("lazy-binomial,k=8,x=0.5").build();
  }

  private void fill(Store store, int keys, long seed) {
    Draws draws = new Draws(seed, keys);
    for (int i = 0; i < keys; i++) {
      Keys.write(key, draws.next());
      store.put(key, value);
    }
    store.flush();
    store.awaitIdle();
  }

  private void read(Store store, int keys, long seed) {
    Draws draws = new Draws(seed, keys);
    for (int i = 0; i < keys; i++) {
      Keys.write(key, draws.next());
      if (store.getInto(key, target) != VALUE_BYTES) {
        throw new WrongAnswerException("key " + i + " has no value");
      }
    }
  }

  /** Processor time and allocated bytes, each an operation. */
  private static double[] costs(int operations, Runnable work) {
    OperatingSystemMXBean system =
        (OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();
    ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    long processor = system.getProcessCpuTime();
    long allocated = threads.getCurrentThreadAllocatedBytes();
    work.run();
    return new double[] {
      (system.getProcessCpuTime() - processor) / (double) operations,
      (threads.getCurrentThreadAllocatedBytes() - allocated) / (double) operations
    };
  }

  /**
   * Asks for all that there is, as somebody who watches would, at least once. What is not answered
   * is a fault: a store that is not asked is not watched.
   */
  private static final class Asking {
    private final MBeanServer beans = ManagementFactory.getPlatformMBeanServer();
    private final CountDownLatch ended = new CountDownLatch(1);
    private final Thread thread = new Thread(this::run, "coppice-asking");
    private Exception problem;

    void start() {
      thread.setDaemon(true);
      thread.start();
    }

    /** Ends it, if it was started. */
    void end() {
      ended.countDown();
      boolean interrupted = false;
      while (thread.isAlive()) {
        try {
          thread.join();
        } catch (InterruptedException e) {
          interrupted = true;
        }
      }
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }

    /** Throws if any bean did not answer; call after {@link #end}. */
    void check() {
      if (problem != null) {
        throw new IllegalStateException("the store was not watched: " + problem, problem);
      }
    }

    private void run() {
      try {
        do {
          ask();
        } while (!ended.await(ASKED_MILLIS, TimeUnit.MILLISECONDS));
      } catch (JMException | RuntimeException | InterruptedException e) {
        problem = e;
      }
    }

    private void ask() throws JMException {
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
        throw new JMException("there is no bean of the store");
      }
    }
  }
}
