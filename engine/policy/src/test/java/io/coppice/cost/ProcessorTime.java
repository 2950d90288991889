// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.cost;

import com.sun.management.OperatingSystemMXBean;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import java.util.stream.LongStream;

/** Processor time of this process and its child processes. */
final class ProcessorTime {

  private static final Path PROCESSES = Path.of("/proc");

  /** Linux reports ticks of this length to every program. */
  private static final int MILLIS_PER_TICK = 10;

  /** Index of utime among the fields behind the command's name in /proc/PID/stat. */
  private static final int FIRST_FIELD = 11;

  /** The fields utime, stime, cutime and cstime. */
  private static final int FIELDS = 4;

  private ProcessorTime() {}

  /**
   * Returns the processor time in milliseconds that this process, its living descendants and all
   * child processes that they have waited for have used. Without /proc child processes are missing.
   */
  static long millis() {
    ProcessHandle self = ProcessHandle.current();
    long own = ticks(self.pid());
    if (own < 0) {
      return TimeUnit.NANOSECONDS.toMillis(
          ((OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean())
              .getProcessCpuTime());
    }
    LongStream children = self.descendants().mapToLong(child -> Math.max(0, ticks(child.pid())));
    return (own + children.sum()) * MILLIS_PER_TICK;
  }

  /** Returns the ticks of a process, or -1 if there is no such process or no /proc. */
  private static long ticks(long process) {
    try {
      Path stat = PROCESSES.resolve(Long.toString(process)).resolve("stat");
      // The command's name is in parentheses and may hold anything.
      String text = Files.readString(stat, StandardCharsets.ISO_8859_1);
      String[] fields = text.substring(text.lastIndexOf(')') + 2).split(" ");
      long ticks = 0;
      for (int i = FIRST_FIELD; i < FIRST_FIELD + FIELDS; i++) {
        ticks += Long.parseLong(fields[i]);
      }
      return ticks;
    } catch (IOException e) {
      return -1;
    }
  }
}
