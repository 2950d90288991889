// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.bench.micro;

import com.sun.management.OperatingSystemMXBean;
import java.lang.management.ManagementFactory;
import java.util.Collection;
import java.util.List;
import org.openjdk.jmh.infra.BenchmarkParams;
import org.openjdk.jmh.infra.IterationParams;
import org.openjdk.jmh.profile.InternalProfiler;
import org.openjdk.jmh.results.AggregationPolicy;
import org.openjdk.jmh.results.IterationResult;
import org.openjdk.jmh.results.Result;
import org.openjdk.jmh.results.ScalarResult;

/**
 * JMH profiler that reports the processor time per call of the whole process, garbage collector and
 * compiler included. On a busy machine it varies less than elapsed time.
 */
public final class ProcessorTime implements InternalProfiler {

  private static final double NANOS_PER_MICRO = 1000;

  private final OperatingSystemMXBean system =
      (OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();
  private long before;

  @Override
  public String getDescription() {
    return "Processor time a call";
  }

  @Override
  public void beforeIteration(BenchmarkParams benchmark, IterationParams iteration) {
    before = system.getProcessCpuTime();
  }

  @Override
  public Collection<? extends Result<?>> afterIteration(
      BenchmarkParams benchmark, IterationParams iteration, IterationResult result) {
    double nanos = system.getProcessCpuTime() - before;
    double micros = nanos / NANOS_PER_MICRO / result.getMetadata().getAllOps();
    return List.of(new ScalarResult("processor", micros, "us/op", AggregationPolicy.AVG));
  }
}
