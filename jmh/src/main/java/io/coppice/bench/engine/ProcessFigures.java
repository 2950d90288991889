// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.bench.engine;

import java.io.IOException;
import java.lang.management.GarbageCollectorMXBean;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * Resources that this process has used since its start. Unknown figures are 0.
 *
 * @param deviceBytes bytes that it caused the device to write
 */
public record ProcessFigures(
    long processorNanos,
    long collections,
    long collectionMillis,
    long allocatedBytes,
    long deviceBytes) {

  static ProcessFigures now() {
    long collections = 0;
    long millis = 0;
    for (GarbageCollectorMXBean collector : ManagementFactory.getGarbageCollectorMXBeans()) {
      collections += collector.getCollectionCount();
      millis += collector.getCollectionTime();
    }
    long allocated =
        ManagementFactory.getThreadMXBean() instanceof com.sun.management.ThreadMXBean threads
            ? threads.getCurrentThreadAllocatedBytes()
            : 0;
    return new ProcessFigures(
        processorTime(), collections, millis, allocated, line("/proc/self/io", "write_bytes:"));
  }

  /** Returns the processor time of this process in nanoseconds. */
  public static long processorTime() {
    return ManagementFactory.getPlatformMXBean(com.sun.management.OperatingSystemMXBean.class)
        .getProcessCpuTime();
  }

  /** The most memory that this process ever had, mapped files included. */
  static long peakResidentBytes() {
    return line("/proc/self/status", "VmHWM:") << 10;
  }

  /** The memory that this process has and that is no file's. */
  static long anonymousBytes() {
    return line("/proc/self/status", "RssAnon:") << 10;
  }

  private static long line(String file, String name) {
    try {
      for (String line : Files.readAllLines(Path.of(file))) {
        if (line.startsWith(name)) {
          return Long.parseLong(line.replaceAll("\\D", ""));
        }
      }
    } catch (IOException e) {
      return 0;
    }
    return 0;
  }
}
