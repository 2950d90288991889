// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.io;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * How many files may be kept open only to read them faster. The system limits the descriptors of a
 * process, and what has to be written needs some too, so such reads take half at most. Safe to
 * share between threads.
 */
final class DescriptorBudget {

  /** What Linux grants where nobody has said anything. */
  private static final int DEFAULT_LIMIT = 1024;

  private final int capacity;
  private final AtomicInteger used = new AtomicInteger();

  DescriptorBudget(int capacity) {
    this.capacity = capacity;
  }

  /** That of this process, shared by all its stores as the system's limit is. */
  static DescriptorBudget ofProcess() {
    return OfProcess.BUDGET;
  }

  boolean tryTake() {
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

  void giveBack() {
    int left = used.decrementAndGet();
    assert left >= 0 : left;
  }

  /** Held now. */
  int used() {
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
