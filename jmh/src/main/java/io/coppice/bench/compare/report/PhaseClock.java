// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.bench.compare.report;

import com.sun.management.OperatingSystemMXBean;
import io.coppice.bench.compare.report.ComparisonProgress.Phase;
import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.EnumMap;
import java.util.Map;
import java.util.function.LongSupplier;

/**
 * Clock of the phases of one run: elapsed time, and processor time of this process and of the node.
 * Used by one thread.
 */
public final class PhaseClock {

  private final LongSupplier nanos;
  private final LongSupplier ownProcessorNanos;
  private final Map<Phase, Figures.PhaseTime> times = new EnumMap<>(Phase.class);
  private Phase phase = Phase.START;
  private long start;
  private long ownStart;
  private Duration nodeStart = Duration.ZERO;

  /** Creates a clock in the first phase, on the clocks of this process. */
  public PhaseClock() {
    this(
        System::nanoTime,
        ManagementFactory.getPlatformMXBean(OperatingSystemMXBean.class)::getProcessCpuTime);
  }

  /**
   * Creates a clock in the first phase, on other clocks.
   *
   * @param nanos elapsed time in nanoseconds, on any base
   * @param ownProcessorNanos processor time of this process in nanoseconds
   */
  public PhaseClock(LongSupplier nanos, LongSupplier ownProcessorNanos) {
    this.nanos = nanos;
    this.ownProcessorNanos = ownProcessorNanos;
    this.start = nanos.getAsLong();
    this.ownStart = ownProcessorNanos.getAsLong();
  }

  /**
   * Ends a phase and begins another.
   *
   * @param node processor time that the running node has used since its start
   */
  public void next(Phase other, Duration node) {
    end(node);
    phase = other;
  }

  /**
   * Ends the current phase. Work after that and before the next phase counts for the ended one.
   *
   * @param node processor time that the running node has used since its start
   */
  public void end(Duration node) {
    long now = nanos.getAsLong();
    long own = ownProcessorNanos.getAsLong();
    // A node that has used less than before is another one.
    Duration used = node.compareTo(nodeStart) < 0 ? node : node.minus(nodeStart);
    times.merge(
        phase,
        new Figures.PhaseTime((now - start) / 1e9, (own - ownStart + used.toNanos()) / 1e9),
        Figures.PhaseTime::plus);
    start = now;
    ownStart = own;
    nodeStart = node;
  }

  /** Returns the times of all phases that have ended, in their order. */
  public Map<Phase, Figures.PhaseTime> times() {
    return new EnumMap<>(times);
  }
}
