// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.manifest;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Groups of virtual segments that reads want merged, each once, at most {@link #MAX_GROUPS}
 * (dCompaction, section 3.3). Reads put in, the compactor takes note and forgets groups that are
 * gone. Asking for a group that is in takes no lock and changes nothing. Safe to share between
 * threads.
 */
public final class ReadRequests {

  /** More groups wait for other reads to ask again; each is a merge of many tables. */
  public static final int MAX_GROUPS = 64;

  private final Set<Long> groups = ConcurrentHashMap.newKeySet();
  private volatile int mergeFrom = Integer.MAX_VALUE;
  private volatile @Nullable Runnable signal;

  /** True from the first request of a group until the compactor has seen it. */
  private volatile boolean fresh;

  /** Makes an empty set that wants nothing. */
  public ReadRequests() {}

  /** Names who is told of new requests, in the thread of the read: it must not block. */
  public void signalTo(Runnable listener) {
    signal = listener;
  }

  /** From how many parents on a segment that a read meets is to be merged. */
  public void mergeFrom(int parents) {
    mergeFrom = parents;
  }

  /** True if a read that meets the segment is to ask for its group. */
  public boolean wants(Segment segment) {
    return segment.parents() >= mergeFrom;
  }

  /** Asks for a group; in vain if there are too many. */
  public void ask(long group) {
    if (!groups.contains(group) && groups.size() < MAX_GROUPS) {
      add(group);
    }
    Runnable listener = signal;
    if (fresh && listener != null) {
      // Told again by every read until it is seen, as the one told may be too busy to listen.
      listener.run();
    }
  }

  private synchronized void add(long group) {
    if (groups.size() < MAX_GROUPS && groups.add(group)) {
      fresh = true;
    }
  }

  /** True if a group was asked for since {@link #seen}. */
  public boolean fresh() {
    return fresh;
  }

  /** Says that whoever acts on requests will look at all that are in. */
  public void seen() {
    fresh = false;
  }

  /**
   * The groups asked for that are still alive; the others are forgotten.
   *
   * @param alive asked only if there are requests
   */
  public synchronized Set<Long> retain(Supplier<Set<Long>> alive) {
    if (groups.isEmpty()) {
      return Set.of();
    }
    groups.retainAll(alive.get());
    return Set.copyOf(groups);
  }
}
