// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.io.file;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/**
 * Limit of the files that are kept open only to read them faster. The system limits the descriptors
 * of a process, and writing needs some too, so these reads take at most half. Safe to share between
 * threads.
 */
public final class DescriptorBudget extends CountBudget {

  /** Default limit of descriptors per process in Linux. */
  private static final int DEFAULT_LIMIT = 1024;

  public DescriptorBudget(int capacity) {
    super(capacity);
  }

  /**
   * Returns the budget of this process. All its stores share it, because the system's limit is per
   * process.
   */
  public static DescriptorBudget ofProcess() {
    return OfProcess.BUDGET;
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
