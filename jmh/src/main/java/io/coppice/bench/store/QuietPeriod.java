// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.bench.store;

import com.google.common.util.concurrent.Uninterruptibles;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;

/**
 * Wait for a store that does not report its background work. It ends once the store's files have
 * stayed the same and the process has used little processor time for a while.
 */
final class QuietPeriod {

  private static final long SAMPLE_MILLIS = 20;
  private static final int SAMPLES = 15;

  /**
   * Share of a core above which the process counts as busy; sampling itself takes some processor
   * time.
   */
  private static final double BUSY_SHARE = 0.3;

  private QuietPeriod() {}

  /**
   * Waits, without a limit, until the background work of the store has ended, and returns the idle
   * nanoseconds at the end of the wait.
   *
   * @param directory the store's directory
   */
  static long await(Path directory) {
    int silent = 0;
    long since = System.nanoTime();
    long before = DiskFiles.bytes(directory);
    long processor = ProcessFigures.processorTime();
    while (silent < SAMPLES) {
      Uninterruptibles.sleepUninterruptibly(SAMPLE_MILLIS, TimeUnit.MILLISECONDS);
      long bytes = DiskFiles.bytes(directory);
      long used = ProcessFigures.processorTime();
      boolean busy = used - processor > BUSY_SHARE * TimeUnit.MILLISECONDS.toNanos(SAMPLE_MILLIS);
      silent = bytes == before && !busy ? silent + 1 : 0;
      since = silent == 0 ? System.nanoTime() : since;
      before = bytes;
      processor = used;
    }
    return System.nanoTime() - since;
  }
}
