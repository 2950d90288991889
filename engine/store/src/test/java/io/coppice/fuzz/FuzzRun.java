// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.fuzz;

import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;

/**
 * What Jazzer calls; {@code -Dfuzz.target=WAL} names the parser. An input must not make it take
 * memory out of proportion, either.
 */
public final class FuzzRun {

  /** What a parser may allocate on the heap for an input of a few kilobytes. */
  static final long MAX_BYTES = 64 << 20;

  private static final FuzzTarget TARGET =
      FuzzTarget.valueOf(System.getProperty("fuzz.target", "WAL"));

  private FuzzRun() {}

  /** Runs one input. */
  public static void fuzzerTestOneInput(byte[] data) {
    run(TARGET, data);
  }

  static String run(FuzzTarget target, byte[] data) {
    ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    long thread = Thread.currentThread().getId();
    // The first time a run may load classes, which Jazzer rewrites in the same thread.
    for (boolean again = false; ; again = true) {
      long before = threads.getThreadAllocatedBytes(thread);
      String end = target.run(data);
      long taken = threads.getThreadAllocatedBytes(thread) - before;
      if (taken <= MAX_BYTES) {
        return end;
      }
      if (again) {
        throw new AssertionError(taken + " bytes of memory for " + data.length + " of input");
      }
    }
  }
}
