// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.bench.compare.report;

import static io.coppice.bench.report.Texts.text;

import io.coppice.bench.cassandra.JavaHome;
import io.coppice.bench.report.Machine;
import io.coppice.bench.suite.ClientThreads;
import java.lang.management.ManagementFactory;
import java.util.concurrent.TimeUnit;

/**
 * State of the machine before the first node starts.
 *
 * @param cassandra version of Cassandra's jar, or {@code unknown}
 * @param nodeJava version of the Java that runs the node
 * @param machine machine and software, in the form of all suites
 * @param freeCores processor time that two busy threads got, in cores; 2 on an idle machine
 */
public record Environment(String cassandra, String nodeJava, double freeCores, Machine machine) {

  /** Number of threads that probe the machine for free processor time. */
  static final int PROBE_THREADS = 2;

  private static final long PROBE_NANOS = TimeUnit.MILLISECONDS.toNanos(500);

  /** Probes the machine for half a second. */
  public static Environment now(JavaHome java, String cassandra) throws InterruptedException {
    Machine machine = Machine.now();
    return new Environment(cassandra, java.version(), probe(), machine);
  }

  /**
   * Measures how many cores two busy threads get: the sum of their processor times divided by the
   * elapsed time.
   */
  private static double probe() throws InterruptedException {
    try (ClientThreads threads = new ClientThreads()) {
      return threads.run(PROBE_THREADS, thread -> Environment::spin).stream()
          .mapToDouble(Double::doubleValue)
          .sum();
    }
  }

  private static double spin() {
    var threads = ManagementFactory.getThreadMXBean();
    long processor = threads.getCurrentThreadCpuTime();
    long start = System.nanoTime();
    while (System.nanoTime() - start < PROBE_NANOS) {
      Thread.onSpinWait();
    }
    double used = threads.getCurrentThreadCpuTime() - processor;
    return used / (System.nanoTime() - start);
  }

  /** Returns whether the load average exceeds the number of cores. */
  boolean isBusy() {
    return machine.load() > machine.cores();
  }

  public String header(CompareOptions options) {
    return text(
        "coppice compare · Cassandra %s · scale %s · JDK %s · %d cores · load %.1f%s · seed %d",
        cassandra,
        options.scale().name(),
        nodeJava,
        machine.cores(),
        Math.max(0, machine.load()),
        isBusy() ? " (busy machine)" : "",
        options.seed());
  }
}
