// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.cassandra.state;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.apache.cassandra.io.sstable.format.SSTableReader;

/**
 * Backoff for SSTables whose task has failed: they are left alone for a while so that other plans
 * can run. Otherwise the policy would propose the same merge first each time. Each further failure
 * doubles the time, from ten seconds up to an hour. A task that an operator stops does not count as
 * failed. Thread-safe.
 */
public final class FailureBackoff {

  private static final long FIRST_NANOS = TimeUnit.SECONDS.toNanos(10);
  private static final long MAX_NANOS = TimeUnit.HOURS.toNanos(1);
  private static final int MAX_DOUBLINGS = 9;

  /**
   * Backoff of some SSTables.
   *
   * @param failures how often a task of one of them has failed; the largest number among the
   *     SSTables
   * @param nanos how long they are left alone, in nanoseconds
   */
  public record Setback(int failures, long nanos) {}

  private record Aside(int failures, long untilNanos) {}

  @GuardedBy("this")
  private final Map<SSTableReader, Aside> aside = new HashMap<>();

  /** Returns how often tasks of an SSTable have failed; the largest number among the SSTables. */
  public synchronized int failures(Collection<SSTableReader> sstables) {
    int failures = 0;
    for (SSTableReader sstable : sstables) {
      Aside at = aside.get(sstable);
      failures = at == null ? failures : Math.max(failures, at.failures);
    }
    return failures;
  }

  /**
   * Records a failed task and leaves its SSTables alone.
   *
   * @param sstables the remaining inputs of the task
   * @param earlier how often tasks of the merge's first inputs had failed; some of these inputs may
   *     since have been rewritten and deleted
   * @return the number of failures, with this one, and the time
   */
  public synchronized Setback put(Collection<SSTableReader> sstables, int earlier, long nowNanos) {
    int failures = 1 + Math.max(earlier, failures(sstables));
    long nanos = nanos(failures);
    for (SSTableReader sstable : sstables) {
      aside.put(sstable, new Aside(failures, nowNanos + nanos));
    }
    return new Setback(failures, nanos);
  }

  /** Returns how long SSTables are left alone after 1 or more failures, in nanoseconds. */
  static long nanos(int failures) {
    return Math.min(MAX_NANOS, FIRST_NANOS << Math.min(failures - 1, MAX_DOUBLINGS));
  }

  /** Returns whether the SSTable must be left alone now. */
  public synchronized boolean holds(SSTableReader sstable, long nowNanos) {
    Aside at = aside.get(sstable);
    return at != null && at.untilNanos - nowNanos > 0;
  }

  /** Ends the backoff of an SSTable that is deleted or that an operator wants compacted. */
  public synchronized void forget(SSTableReader sstable) {
    aside.remove(sstable);
  }

  /** Ends all backoffs, because an operator wants everything compacted. */
  public synchronized void forgetAll() {
    aside.clear();
  }
}
