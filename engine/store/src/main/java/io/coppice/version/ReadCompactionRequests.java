// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.version;

import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Counts of the lookups that have reached each group of virtual segments (dCompaction, section
 * 3.3). Readers count; the compactor decides which groups it merges, and removes groups that no
 * longer exist. A lookup takes no lock. Safe to share between threads.
 */
public final class ReadCompactionRequests {

  /**
   * Maximum number of counted groups. Once as many lookups have reached other groups, half of the
   * counted ones are removed: those that fewest lookups have reached.
   */
  public static final int MAX_GROUPS = 4096;

  /** Count of the lookups that have reached one group. */
  private static final class Counter {
    final AtomicLong lookups = new AtomicLong();

    /** Number of lookups that makes readers signal the compactor. */
    volatile long signalAt;

    Counter(long signalAt) {
      this.signalAt = signalAt;
    }
  }

  private final Map<Long, Counter> groups = new ConcurrentHashMap<>();
  private volatile int mergeFrom = Integer.MAX_VALUE;
  private volatile @Nullable Runnable signal;

  /** Lookups of uncounted groups since counted groups were last removed. */
  private final AtomicInteger uncounted = new AtomicInteger();

  /**
   * Number of lookups that signals the compactor for a newly counted group: more than any removed
   * counter had.
   */
  private volatile long firstSignal = 1;

  /** Whether a group has reached its number of lookups and the compactor has not seen it yet. */
  private volatile boolean fresh;

  /** Whether the compactor has seen a request and has not answered yet. */
  private volatile boolean awaitsAnswer;

  /** Creates an empty set that accepts no requests yet. */
  public ReadCompactionRequests() {}

  /** Sets the listener for new requests. The reading thread calls it, so it must not block. */
  public void signalTo(Runnable listener) {
    signal = listener;
  }

  /**
   * Sets the smallest number of parents that makes a read request the merge of a virtual segment.
   */
  public void mergeFrom(int parents) {
    mergeFrom = parents;
  }

  /** Returns whether a read that reaches the segment must call {@link #ask} for its group. */
  public boolean wants(Segment segment) {
    return segment.parents() >= mergeFrom;
  }

  /**
   * Counts a lookup that has reached a group. It may have no effect if too many groups are counted.
   */
  public void ask(long group) {
    Counter counter = groups.get(group);
    if (counter == null) {
      counter = add(group);
      if (counter == null) {
        return;
      }
    }
    if (counter.lookups.incrementAndGet() < counter.signalAt || awaitsAnswer) {
      return;
    }
    if (!fresh) {
      fresh = true;
    }
    Runnable listener = signal;
    if (listener != null) {
      // Every read repeats the call until the request is seen, because the listener may be too busy
      // for it.
      listener.run();
    }
  }

  /**
   * Adds a counter for a group. Returns null if too many groups are counted; concurrent readers may
   * exceed the maximum a little.
   */
  private @Nullable Counter add(long group) {
    if (groups.size() >= MAX_GROUPS) {
      // One reading thread reaches the bound and makes room.
      if (uncounted.incrementAndGet() != MAX_GROUPS) {
        return null;
      }
      try {
        removeColdGroups();
      } finally {
        uncounted.set(0);
      }
    }
    Counter counter = new Counter(groups.size() < MAX_GROUPS / 2 ? 1 : firstSignal);
    Counter other = groups.putIfAbsent(group, counter);
    return other == null ? counter : other;
  }

  /** Removes the half of the counted groups that fewest lookups have reached. */
  private void removeColdGroups() {
    long[] counts = groups.values().stream().mapToLong(counter -> counter.lookups.get()).toArray();
    if (counts.length < MAX_GROUPS / 2) {
      return;
    }
    Arrays.sort(counts);
    long median = counts[counts.length / 2];
    AtomicInteger left = new AtomicInteger(counts.length / 2);
    groups
        .values()
        .removeIf(counter -> counter.lookups.get() <= median && left.getAndDecrement() > 0);
    firstSignal = median + 1;
  }

  /** Returns whether a group has reached its number of lookups since {@link #seen}. */
  public boolean fresh() {
    return fresh;
  }

  /**
   * Records that the compactor is about to process all requests. Reads signal nothing until {@link
   * #answered}, because the answer covers all lookups of that time.
   */
  public void seen() {
    awaitsAnswer = true;
    fresh = false;
  }

  /**
   * Returns the number of lookups that have reached each group that still exists, and removes the
   * other groups.
   *
   * @param alive supplies the numbers of all existing groups; called only if lookups have reached
   *     some group
   */
  public synchronized Map<Long, Long> lookups(Supplier<Set<Long>> alive) {
    if (groups.isEmpty()) {
      return Map.of();
    }
    groups.keySet().retainAll(alive.get());
    Map<Long, Long> lookups = new HashMap<>();
    groups.forEach((group, counter) -> lookups.put(group, counter.lookups.get()));
    return lookups;
  }

  /**
   * Sets the numbers of lookups that signal the compactor again. Other groups keep their numbers.
   *
   * @param nextLookups number of lookups for the next signal, by group
   * @param granted groups that need no further signal
   */
  public void answered(Map<Long, Long> nextLookups, Set<Long> granted) {
    nextLookups.forEach(this::signalAt);
    granted.forEach(group -> signalAt(group, Long.MAX_VALUE));
    awaitsAnswer = false;
  }

  private void signalAt(long group, long lookups) {
    Counter counter = groups.get(group);
    if (counter != null) {
      counter.signalAt = lookups;
    }
  }
}
