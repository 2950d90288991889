// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.io.disk;

import io.coppice.base.MemoryBudget;
import io.netty.util.internal.PlatformDependent;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * Memory available to this process: the least of the machine's memory and the limits of its control
 * groups, version 1 and 2, and of their parents. It is unknown if nothing can be read, as outside
 * Linux.
 *
 * <p>The class is in this package, apart from the memory budget, because {@code base} reads no
 * files.
 *
 * @param limitBytes limit in bytes of process and page cache together; {@link #UNKNOWN} if not
 *     known
 * @param heapBytes largest heap size
 * @param directBytes largest size of off-heap memory
 */
public record HostMemory(long limitBytes, long heapBytes, long directBytes) {

  /** Value of an unknown limit. */
  public static final long UNKNOWN = Long.MAX_VALUE;

  /** Smallest default budget in bytes; it fits a store of default options with small memtables. */
  public static final long MIN_BUDGET_BYTES = 16L << 20;

  /** Default budget in bytes if the limit is unknown. */
  private static final long USUAL_BUDGET_BYTES = 256L << 20;

  /**
   * Divisor of the memory beside the heap for the default budget. The rest is for the page cache,
   * threads, code and other programs.
   */
  private static final int BUDGET_SHARE = 4;

  /**
   * Smallest value that means no limit: version 1 expresses that as the largest multiple of a page.
   */
  private static final long NO_LIMIT = 1L << 62;

  private static final class OfProcess {
    static {
      // The lines below are the first use of Netty in a store.
      NettyLogs.choose();
    }

    static final HostMemory MEMORY =
        new HostMemory(
            limitBytes(Path.of("/")),
            Runtime.getRuntime().maxMemory(),
            PlatformDependent.maxDirectMemory());
    static final MemoryBudget BUDGET = MemoryBudget.ofBytes(MEMORY.budgetBytes());
  }

  /** Returns the memory of this process, as measured at the first call. */
  public static HostMemory ofProcess() {
    return OfProcess.MEMORY;
  }

  /** Returns the memory budget that all stores of this process share by default. */
  public static MemoryBudget budgetOfProcess() {
    return OfProcess.BUDGET;
  }

  /**
   * Returns the default budget of stores in bytes: a quarter of the memory that the heap leaves
   * below {@link #limitBytes}, or 256 MiB if the limit is unknown. It is at most {@link
   * #directBytes}, but never below {@link #MIN_BUDGET_BYTES}.
   */
  public long budgetBytes() {
    long wanted =
        limitBytes == UNKNOWN ? USUAL_BUDGET_BYTES : (limitBytes - heapBytes) / BUDGET_SHARE;
    return Math.max(MIN_BUDGET_BYTES, Math.min(wanted, directBytes));
  }

  /**
   * Returns the limit according to files below a directory, which represents the root of the file
   * system.
   */
  static long limitBytes(Path root) {
    long limit = machineBytes(root.resolve("proc/meminfo"));
    for (String line : lines(root.resolve("proc/self/cgroup"))) {
      String[] parts = line.split(":", 3);
      if (parts.length < 3) {
        continue;
      }
      if (parts[0].equals("0") && parts[1].isEmpty()) {
        limit = Math.min(limit, limitOf(root.resolve("sys/fs/cgroup"), parts[2], "memory.max"));
      } else if (List.of(parts[1].split(",")).contains("memory")) {
        Path mount = root.resolve("sys/fs/cgroup/memory");
        limit = Math.min(limit, limitOf(mount, parts[2], "memory.limit_in_bytes"));
      }
    }
    return limit;
  }

  /**
   * Returns the least limit of a control group and its parents. Inside a container the path may be
   * one of the host that does not exist here; the mount itself is then the container's group.
   */
  private static long limitOf(Path mount, String group, String file) {
    long limit = UNKNOWN;
    Path base = mount.normalize();
    Path at = base.resolve(group.replaceFirst("^/+", "")).normalize();
    while (at != null && at.startsWith(base)) {
      for (String line : lines(at.resolve(file))) {
        limit = Math.min(limit, bytes(line.trim(), 1));
      }
      at = at.getParent();
    }
    return limit;
  }

  private static long machineBytes(Path file) {
    for (String line : lines(file)) {
      if (line.startsWith("MemTotal:")) {
        return bytes(line.replaceAll("[^0-9]", ""), 1024);
      }
    }
    return UNKNOWN;
  }

  private static long bytes(String number, long unit) {
    try {
      long found = Math.multiplyExact(Long.parseLong(number), unit);
      return found <= 0 || found >= NO_LIMIT ? UNKNOWN : found;
    } catch (NumberFormatException | ArithmeticException e) {
      return UNKNOWN;
    }
  }

  /**
   * Returns the lines of a file. Reads to the end, because a short read of a system file gives a
   * wrong number.
   */
  private static List<String> lines(Path file) {
    List<String> lines = new ArrayList<>();
    try (BufferedReader reader = Files.newBufferedReader(file)) {
      for (String line = reader.readLine(); line != null; line = reader.readLine()) {
        lines.add(line);
      }
      return lines;
    } catch (IOException e) {
      return List.of();
    }
  }
}
