// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.io;

import io.coppice.base.MemoryBudget;
import io.netty.util.internal.PlatformDependent;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * How much memory this process may have: the least of the machine's and of the limits of its
 * control groups, version 1 and 2, its own and those around it. Where nothing can be read, as
 * outside Linux, it is not known.
 *
 * <p>It is here, and not beside the ledger, because only this package reads files.
 *
 * @param limitBytes what process and page cache may take together; {@link #UNKNOWN} if not known
 * @param heapBytes the most that the heap may grow to
 * @param directBytes the most that may be allocated outside the heap
 */
public record HostMemory(long limitBytes, long heapBytes, long directBytes) {

  /** Stands for a limit that is not known. */
  public static final long UNKNOWN = Long.MAX_VALUE;

  /** A store of default options with small memtables fits this. */
  public static final long LEAST_BUDGET_BYTES = 16L << 20;

  /** Where the limit is not known. */
  private static final long USUAL_BUDGET_BYTES = 256L << 20;

  /** Of what the heap leaves; the rest is for the page cache, threads, code and others. */
  private static final int BUDGET_SHARE = 4;

  /** Version 1 has no word for no limit, but the largest multiple of a page. */
  private static final long NO_LIMIT = 1L << 62;

  private static final class OfProcess {
    static {
      // What is below is the first of Netty that a store uses.
      NettyLogs.choose();
    }

    static final HostMemory MEMORY =
        new HostMemory(
            limitBytes(Path.of("/")),
            Runtime.getRuntime().maxMemory(),
            PlatformDependent.maxDirectMemory());
    static final MemoryBudget BUDGET = MemoryBudget.ofBytes(MEMORY.budgetBytes());
  }

  /** That of this process, as it was when this was first asked. */
  public static HostMemory ofProcess() {
    return OfProcess.MEMORY;
  }

  /** The ledger of all stores of this process that are given no other. */
  public static MemoryBudget budgetOfProcess() {
    return OfProcess.BUDGET;
  }

  /**
   * What stores take if nothing else is said: a quarter of what the heap leaves of the limit, 256
   * MiB if that is not known; at most {@link #directBytes}, but not less than {@link
   * #LEAST_BUDGET_BYTES}.
   */
  public long budgetBytes() {
    long wanted =
        limitBytes == UNKNOWN ? USUAL_BUDGET_BYTES : (limitBytes - heapBytes) / BUDGET_SHARE;
    return Math.max(LEAST_BUDGET_BYTES, Math.min(wanted, directBytes));
  }

  /** Reads the limit under a directory that stands for the root of the file system. */
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
   * The least of a group and those around it. Inside a container the path may be one of the host
   * that does not exist here; the mount itself is the container's group then.
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

  /** A short read of such a file gives a wrong number, hence a reader that reads to the end. */
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
