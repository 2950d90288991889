// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.cassandra;

import java.util.Map;
import java.util.WeakHashMap;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.apache.cassandra.concurrent.ScheduledExecutors;
import org.apache.cassandra.utils.FBUtilities;
import org.apache.cassandra.utils.concurrent.ImmediateFuture;

/**
 * By how much the merges of one table fill the disk now, so that all of them together stay within
 * its {@code max_transient_space}. A merge holds dead bytes between its steps, and what the step
 * may write besides while one runs. Chains are held weakly: one whose strategy has gone holds
 * nothing. Thread-safe.
 */
final class SpaceLedger {

  private static final long POLL_MILLIS = 50;

  /**
   * What a merge holds.
   *
   * @param bytes by which it may fill the disk
   * @param deadBytes what of its inputs lies in its outputs too
   */
  private record Hold(long bytes, long deadBytes, boolean running) {}

  private final Map<Chain, Hold> holds = new WeakHashMap<>();

  // Done once the files that were let go when it was made are gone.
  private Future<?> deletions = ImmediateFuture.success(null);

  private final Turns<MergeTask> turns = new Turns<>();

  /** Under a limit, merges that go on to their end do so one after the other. */
  Turns<MergeTask> turns() {
    return turns;
  }

  /** What others leave of a limit. */
  long free(Chain chain, long limitBytes) {
    return limitBytes == Long.MAX_VALUE ? limitBytes : Math.max(0, limitBytes - heldBytes(chain));
  }

  /** Returns the bytes that all merges except the given one hold. */
  synchronized long heldBytes(Chain except) {
    long bytes = 0;
    for (Map.Entry<Chain, Hold> hold : holds.entrySet()) {
      bytes += hold.getKey() == except ? 0 : hold.getValue().bytes;
    }
    return bytes;
  }

  /** What lies on the disk twice, as inputs and as outputs of merges that have not ended. */
  synchronized long deadBytes() {
    return holds.values().stream().mapToLong(Hold::deadBytes).sum();
  }

  /**
   * Holds space for a step; false if others have taken it since.
   *
   * @param deadBytes before the step or after it, whichever is more
   */
  synchronized boolean hold(Chain chain, long bytes, long deadBytes, long limitBytes) {
    if (bytes > free(chain, limitBytes)) {
      return false;
    }
    holds.put(chain, new Hold(bytes, deadBytes, true));
    return true;
  }

  /** A step has ended; what is dead after it stays held until the merge goes on or ends. */
  synchronized void rest(Chain chain, long deadBytes) {
    holds.put(chain, new Hold(deadBytes, deadBytes, false));
    notifyAll();
  }

  /**
   * Waits for the files to go that had been let go when this was last called: those of a step go
   * while the next one merges, and never those of more than one are left. For parts of a major
   * compaction that have room.
   */
  void awaitEarlierDeletions() {
    Future<?> earlier;
    synchronized (this) {
      earlier = deletions;
      deletions = ScheduledExecutors.nonPeriodicTasks.schedule(() -> {}, 0, TimeUnit.MILLISECONDS);
    }
    FBUtilities.waitOnFuture(earlier);
  }

  /**
   * Its task ends. One that has ended or is given up holds no more: what is dead counts as live.
   */
  synchronized void restOrRelease(Chain chain) {
    if (chain.finished() || chain.givenUp()) {
      release(chain);
    }
  }

  /** The merge will not go on. */
  synchronized void release(Chain chain) {
    holds.remove(chain);
    notifyAll();
  }

  /**
   * Makes others leave space: waits for their steps to end and gives up merges that rest. Only for
   * the thread that has its turn, see {@link #turns}.
   *
   * @return false if nobody else holds any
   */
  synchronized boolean claimFromOthers(Chain chain, BooleanSupplier stopped) {
    boolean any = false;
    while (!stopped.getAsBoolean()) {
      any |= holds.entrySet().removeIf(hold -> hold.getKey() != chain && given(hold));
      boolean running = holds.keySet().stream().anyMatch(other -> other != chain);
      any |= running;
      if (!running) {
        return any;
      }
      try {
        wait(POLL_MILLIS);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        return false;
      }
    }
    return any;
  }

  private static boolean given(Map.Entry<Chain, Hold> hold) {
    if (hold.getValue().running) {
      return false;
    }
    hold.getKey().giveUp();
    return true;
  }
}
