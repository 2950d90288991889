// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.manifest;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Groups of virtual segments that reads want merged, each once, at most {@link #MAX_GROUPS}
 * (dCompaction, section 3.3). Reads add groups; the compactor takes them and removes groups that
 * are gone. A request for a present group returns without a lock or a change. Thread-safe.
 */
public final class ReadCompactionRequests {

  /**
   * Most groups that wait; each is a merge of many tables. Further groups wait until another read
   * requests them.
   */
  public static final int MAX_GROUPS = 64;

  private final Set<Long> groups = ConcurrentHashMap.newKeySet();
  private volatile int mergeFrom = Integer.MAX_VALUE;
  private volatile @Nullable Runnable signal;

  /** Whether a group was requested that the compactor has not seen yet. */
  private volatile boolean fresh;

  /** Creates an empty set that accepts no requests yet. */
  public ReadCompactionRequests() {}

  /** Sets the listener for new requests. The reading thread calls it, so it must not block. */
  public void signalTo(Runnable listener) {
    signal = listener;
  }

  /** Sets the least number of parents that makes a read request a merge of the segment. */
  public void mergeFrom(int parents) {
    mergeFrom = parents;
  }

  /** Returns whether a read that meets the segment must request its group. */
  public boolean wants(Segment segment) {
    return segment.parents() >= mergeFrom;
  }

  /** Requests a group; it has no effect if too many wait. */
  public void ask(long group) {
    if (!groups.contains(group) && groups.size() < MAX_GROUPS) {
      add(group);
    }
    Runnable listener = signal;
    if (fresh && listener != null) {
      // Every read repeats the call until the request is seen, because the listener may be too busy
      // for it.
      listener.run();
    }
  }

  private synchronized void add(long group) {
    if (groups.size() < MAX_GROUPS && groups.add(group)) {
      fresh = true;
    }
  }

  /** Returns whether a group was requested since {@link #seen}. */
  public boolean fresh() {
    return fresh;
  }

  /** Records that the compactor is about to process all requests. */
  public void seen() {
    fresh = false;
  }

  /**
   * Returns the requested groups that still exist, and removes the others.
   *
   * @param alive called only if there are requests
   */
  public synchronized Set<Long> retain(Supplier<Set<Long>> alive) {
    if (groups.isEmpty()) {
      return Set.of();
    }
    groups.retainAll(alive.get());
    return Set.copyOf(groups);
  }
}
