// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.io.file;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * Limit of the files that are mapped at once. The kernel limits the mappings of a process, and a
 * JVM that reaches that limit may die. Stores therefore map at most half as many, and use
 * positional reads beyond. Safe to share between threads.
 */
public final class MappingBudget extends CountBudget {

  /** Default limit of mappings per process in Linux, used if the limit cannot be read. */
  private static final int DEFAULT_MAP_COUNT = 65_530;

  private MappingBudget(int capacity) {
    super(capacity);
  }

  /** Returns a budget of this many mappings, at least 0. */
  public static MappingBudget of(int capacity) {
    if (capacity < 0) {
      throw new IllegalArgumentException("capacity (" + capacity + ") must be at least 0");
    }
    return new MappingBudget(capacity);
  }

  /**
   * Returns the budget of this process. All its stores share it, because the kernel's limit is per
   * process.
   */
  public static MappingBudget ofProcess() {
    return OfProcess.BUDGET;
  }

  private static final class OfProcess {
    static final MappingBudget BUDGET = of(mapCount() / 2);

    /**
     * Returns the kernel's limit. Reads to the end, because a short read of a system file gives a
     * wrong number.
     */
    private static int mapCount() {
      try (BufferedReader reader = Files.newBufferedReader(Path.of("/proc/sys/vm/max_map_count"))) {
        return Integer.parseInt(reader.readLine().trim());
      } catch (IOException | NumberFormatException | NullPointerException e) {
        return DEFAULT_MAP_COUNT;
      }
    }
  }
}
