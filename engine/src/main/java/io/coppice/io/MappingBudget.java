// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.io;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * How many files may be mapped at once. The kernel limits the mappings of a process, and a JVM that
 * runs into that limit may die of it, so stores take half at most and read at positions beyond.
 * Safe to share between threads.
 */
public final class MappingBudget {

  /** The limit of Linux where it cannot be read. */
  private static final int DEFAULT_MAP_COUNT = 65_530;

  private final int capacity;
  private final AtomicInteger used = new AtomicInteger();

  private MappingBudget(int capacity) {
    this.capacity = capacity;
  }

  /** A budget of this many mappings, at least 0. */
  public static MappingBudget of(int capacity) {
    if (capacity < 0) {
      throw new IllegalArgumentException("capacity (" + capacity + ") must be at least 0");
    }
    return new MappingBudget(capacity);
  }

  /** The budget of this process, shared by all its stores as the kernel's limit is. */
  public static MappingBudget ofProcess() {
    return OfProcess.BUDGET;
  }

  /** Mappings held now. */
  public int used() {
    return used.get();
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

  private static final class OfProcess {
    static final MappingBudget BUDGET = of(mapCount() / 2);

    /** A short read of this file gives a wrong number, hence a reader that reads to the end. */
    private static int mapCount() {
      try (BufferedReader reader = Files.newBufferedReader(Path.of("/proc/sys/vm/max_map_count"))) {
        return Integer.parseInt(reader.readLine().trim());
      } catch (IOException | NumberFormatException | NullPointerException e) {
        return DEFAULT_MAP_COUNT;
      }
    }
  }
}
