// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.io.file;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Limit of the files that are kept open only to read them faster. The system limits the descriptors
 * of a process, and writing needs some too, so these reads take at most half. Safe to share between
 * threads.
 */
public final class DescriptorBudget {

  /** Default limit of descriptors per process in Linux. */
  private static final int DEFAULT_LIMIT = 1024;

  private final int capacity;
  private final AtomicInteger used = new AtomicInteger();

  public DescriptorBudget(int capacity) {
    this.capacity = capacity;
  }

  /**
   * Returns the budget of this process. All its stores share it, because the system's limit is per
   * process.
   */
  public static DescriptorBudget ofProcess() {
    return OfProcess.BUDGET;
  }

  public boolean tryTake() {
    int now = used.get();
    while (now < capacity) {
      int witness = used.compareAndExchange(now, now + 1);
      if (witness == now) {
        return true;
      }
      now = witness;
    }
    return false;
  }

  public void giveBack() {
    int left = used.decrementAndGet();
    assert left >= 0 : left;
  }

  /** Returns the number of descriptors in use that this budget counts. */
  public int used() {
    return used.get();
  }

  private static final class OfProcess {
    static final DescriptorBudget BUDGET = new DescriptorBudget(limit() / 2);

    private static int limit() {
      try {
        return limit(Files.readAllLines(Path.of("/proc/self/limits")));
      } catch (IOException | NumberFormatException e) {
        return DEFAULT_LIMIT;
      }
    }

    private static int limit(List<String> lines) {
      for (String line : lines) {
        if (line.startsWith("Max open files")) {
          String soft = line.split("\\s{2,}")[1];
          return soft.equals("unlimited") ? Integer.MAX_VALUE : Integer.parseInt(soft);
        }
      }
      return DEFAULT_LIMIT;
    }
  }
}
