// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.bench.store;

import io.coppice.bench.report.Machine;
import java.lang.management.GarbageCollectorMXBean;
import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/** Resources that this process has used since its start; 0 if unknown. */
public final class ProcessFigures {

  private ProcessFigures() {}

  public static Map<Measure, Long> now() {
    List<GarbageCollectorMXBean> collectors = ManagementFactory.getGarbageCollectorMXBeans();
    var threads = ManagementFactory.getPlatformMXBean(com.sun.management.ThreadMXBean.class);
    return Map.of(
        Measure.PROCESSOR_NANOS, processorTime(),
        Measure.ALLOCATED_BYTES, threads.getCurrentThreadAllocatedBytes(),
        Measure.DEVICE_BYTES, line("/proc/self/io", "write_bytes:"),
        Measure.GC_COUNT,
            collectors.stream().mapToLong(GarbageCollectorMXBean::getCollectionCount).sum(),
        Measure.GC_MILLIS,
            collectors.stream().mapToLong(GarbageCollectorMXBean::getCollectionTime).sum());
  }

  /** Returns the processor time of this process in nanoseconds. */
  public static long processorTime() {
    return ManagementFactory.getPlatformMXBean(com.sun.management.OperatingSystemMXBean.class)
        .getProcessCpuTime();
  }

  /** Returns the bytes that devices have read for this process, page faults included. */
  public static long deviceReadBytes() {
    return line("/proc/self/io", "read_bytes:");
  }

  /** Returns the peak memory of this process in bytes, mapped files included. */
  public static long peakResidentBytes() {
    return line("/proc/self/status", "VmHWM:") << 10;
  }

  /** Returns the present memory of this process in bytes, without mapped files. */
  public static long anonymousBytes() {
    return line("/proc/self/status", "RssAnon:") << 10;
  }

  private static long line(String file, String name) {
    return Machine.number(Path.of(file), name, 0);
  }
}
