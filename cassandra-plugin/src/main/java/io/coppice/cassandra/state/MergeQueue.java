// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.cassandra.state;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.util.ArrayDeque;
import java.util.Collections;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Queue;
import java.util.Set;
import java.util.function.BooleanSupplier;

/**
 * Queue of the merges of a table that run to their end, one at a time.
 *
 * <p>The merges of a major compaction must not block threads while they wait for each other. They
 * are announced together. The first that arrives puts all of them into this queue, and the holder
 * of the <em>turn</em> carries out the queued ones. Only the holder may run such a merge.
 * Thread-safe.
 */
public final class MergeQueue<T> {

  private static final long POLL_MILLIS = 50;

  @GuardedBy("this")
  private final Set<T> announced = new LinkedHashSet<>();

  @GuardedBy("this")
  private final Queue<T> waiting = new ArrayDeque<>();

  @GuardedBy("this")
  private boolean taken;

  // Whether the holder of the turn carries out queued merges.
  @GuardedBy("this")
  private boolean serves;

  @GuardedBy("this")
  private Optional<T> carriedOut = Optional.empty();

  /** Announces a merge that will arrive later, once Cassandra has a thread for it. */
  public synchronized void announce(T merge) {
    announced.add(merge);
  }

  /**
   * Takes the announced merges when one of them arrives. The caller puts them into the queue.
   *
   * @return all announced merges in that order; empty if an earlier arrival has taken this one
   */
  public synchronized List<T> arrive(T merge) {
    if (!announced.contains(merge)) {
      return List.of();
    }
    List<T> all = List.copyOf(announced);
    announced.clear();
    return all;
  }

  /** Queues a merge for the current or next holder of the turn. */
  public synchronized void enqueue(T merge) {
    waiting.add(merge);
  }

  /** Returns whether all the merges have left the queue and none is being carried out. */
  public synchronized boolean areAllDone(List<T> merges) {
    return Collections.disjoint(waiting, merges) && carriedOut.filter(merges::contains).isEmpty();
  }

  /**
   * Waits for the turn and takes it; {@link #nextOrRelease} releases it. Waiters have no order.
   *
   * @param served whether the holder carries out queued merges, see {@link #nextOrRelease}
   * @param stopped checked every 50 ms while waiting
   * @return false if the caller was stopped or its thread interrupted before its turn; the thread
   *     stays marked as interrupted
   */
  public synchronized boolean take(boolean served, BooleanSupplier stopped) {
    while (taken) {
      if (stopped.getAsBoolean()) {
        return false;
      }
      try {
        wait(POLL_MILLIS);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        return false;
      }
    }
    taken = true;
    serves = served;
    return true;
  }

  /**
   * Returns the merge queued first, for the holder of the turn to carry out. Otherwise releases the
   * turn and returns empty, as always for a holder that does not serve the queue.
   */
  public synchronized Optional<T> nextOrRelease() {
    carriedOut = Optional.ofNullable(serves ? waiting.poll() : null);
    taken = carriedOut.isPresent();
    notifyAll();
    return carriedOut;
  }

  /**
   * Removes a merge from the queue.
   *
   * @return false if the merge is not queued, because it runs or has run
   */
  public synchronized boolean withdraw(T merge) {
    return waiting.remove(merge);
  }
}
