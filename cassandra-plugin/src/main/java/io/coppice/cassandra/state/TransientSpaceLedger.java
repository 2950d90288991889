// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.cassandra.state;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.coppice.cassandra.sstable.SteppedMerge;
import java.util.Map;
import java.util.WeakHashMap;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.apache.cassandra.concurrent.ScheduledExecutors;
import org.apache.cassandra.utils.FBUtilities;
import org.apache.cassandra.utils.concurrent.ImmediateFuture;

/**
 * Ledger of the transient disk space that the merges of one table hold, which keeps them together
 * within {@code max_transient_space}.
 *
 * <p>Between two steps a merge holds its dead bytes: inputs that are merged but not yet deleted.
 * While a step runs, the merge also holds the bytes that the step may write. Merges are referenced
 * weakly, so a merge whose strategy is gone holds nothing. Thread-safe.
 */
public final class TransientSpaceLedger {

  private static final long POLL_MILLIS = 50;

  /**
   * Space that a merge holds.
   *
   * @param bytes the transient bytes that the merge may have
   * @param deadBytes bytes of its inputs that its outputs contain too
   * @param running whether a step runs
   */
  private record Reservation(long bytes, long deadBytes, boolean running) {}

  @GuardedBy("this")
  private final Map<SteppedMerge, Reservation> holds = new WeakHashMap<>();

  // Completes once the files that were released before it was created are deleted.
  @GuardedBy("this")
  private Future<?> deletions = ImmediateFuture.success(null);

  private final MergeQueue<QueuedMerge> queue = new MergeQueue<>();

  /**
   * Returns the queue of merges that run to their end. Parts of a major compaction always take
   * turns; any other such merge takes a turn only if the space may be short.
   */
  public MergeQueue<QueuedMerge> queue() {
    return queue;
  }

  /**
   * Returns the bytes of a limit that are left for a merge, after the space that other merges hold;
   * at least 0.
   *
   * @param merge null to count the space of all merges
   * @param limitBytes limit on the transient bytes of all merges together; {@link Long#MAX_VALUE}
   *     means no limit and is then the result
   */
  public long free(SteppedMerge merge, long limitBytes) {
    return limitBytes == Long.MAX_VALUE ? limitBytes : Math.max(0, limitBytes - heldBytes(merge));
  }

  /** Returns the transient bytes that all merges except one hold; null excepts none. */
  public synchronized long heldBytes(SteppedMerge except) {
    long bytes = 0;
    for (Map.Entry<SteppedMerge, Reservation> hold : holds.entrySet()) {
      bytes += hold.getKey() == except ? 0 : hold.getValue().bytes;
    }
    return bytes;
  }

  /**
   * Returns the bytes that are on disk twice, in inputs and in outputs of merges that have not
   * ended.
   */
  public synchronized long deadBytes() {
    return holds.values().stream().mapToLong(Reservation::deadBytes).sum();
  }

  /**
   * Reserves space for a step, which replaces the space that the merge holds. Does not wait.
   *
   * @param bytes the transient bytes that the merge may have until the end of the step
   * @param deadBytes dead bytes before or after the step, the larger of the two
   * @param limitBytes the limit on the transient bytes of all merges together
   * @return false if other merges have taken the space in the meantime
   */
  public synchronized boolean reserve(
      SteppedMerge merge, long bytes, long deadBytes, long limitBytes) {
    if (bytes > free(merge, limitBytes)) {
      return false;
    }
    holds.put(merge, new Reservation(bytes, deadBytes, true));
    return true;
  }

  /**
   * Records the end of a step, committed or failed. The merge keeps holding its dead bytes until it
   * continues or ends.
   *
   * @param deadBytes bytes of its inputs that its outputs contain too
   */
  public synchronized void stepEnded(SteppedMerge merge, long deadBytes) {
    holds.put(merge, new Reservation(deadBytes, deadBytes, false));
    notifyAll();
  }

  /**
   * Waits until the files that were released before the previous call are deleted. Files of one
   * step are thus deleted while the next one merges, and files of at most one step remain. Meant
   * for parts of a major compaction that have enough space.
   *
   * @throws org.apache.cassandra.utils.concurrent.UncheckedInterruptedException if the thread is
   *     interrupted
   */
  public void awaitEarlierDeletions() {
    Future<?> earlier;
    synchronized (this) {
      earlier = deletions;
      deletions = ScheduledExecutors.nonPeriodicTasks.schedule(() -> {}, 0, TimeUnit.MILLISECONDS);
    }
    FBUtilities.waitOnFuture(earlier);
  }

  /**
   * Releases the space of a merge that has finished or was given up, and ignores other merges. The
   * dead bytes of the merge then count as live.
   */
  public synchronized void releaseIfEnded(SteppedMerge merge) {
    if (merge.finished() || merge.givenUp()) {
      release(merge);
    }
  }

  /** Releases the space of a merge that does not continue. */
  public synchronized void release(SteppedMerge merge) {
    holds.remove(merge);
    notifyAll();
  }

  /**
   * Makes all other merges release their space: gives up merges between steps, and waits for
   * running steps to end, however long they take. Called only by the thread that holds the turn,
   * see {@link #queue}.
   *
   * @param stopped checked every 50 ms; ends the wait
   * @return whether another merge held space; false if the thread was interrupted, which stays
   *     marked
   */
  public synchronized boolean reclaimFromOthers(SteppedMerge merge, BooleanSupplier stopped) {
    boolean any = false;
    while (!stopped.getAsBoolean()) {
      any |= holds.entrySet().removeIf(hold -> hold.getKey() != merge && given(hold));
      boolean running = holds.keySet().stream().anyMatch(other -> other != merge);
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

  private static boolean given(Map.Entry<SteppedMerge, Reservation> hold) {
    if (hold.getValue().running) {
      return false;
    }
    hold.getKey().giveUp();
    return true;
  }
}
