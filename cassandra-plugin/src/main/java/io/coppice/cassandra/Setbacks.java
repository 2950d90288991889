// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.cassandra;

import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.apache.cassandra.io.sstable.format.SSTableReader;

/**
 * SSTables of which a task has failed, put aside for a while so that other plans have their turn: a
 * policy would propose the same merge first again and again. Each further failure doubles the
 * while, up to an hour. Only what fails counts; a task that an operator stops does not.
 * Thread-safe.
 */
final class Setbacks {

  private static final long FIRST_NANOS = TimeUnit.SECONDS.toNanos(10);
  private static final long MOST_NANOS = TimeUnit.HOURS.toNanos(1);
  private static final int MOST_DOUBLINGS = 9;

  /**
   * How it stands with some SSTables.
   *
   * @param failures how often a task of one of them has failed, the most of any
   * @param nanos for how long they are left alone
   */
  record Setback(int failures, long nanos) {}

  private record Aside(int failures, long untilNanos) {}

  private final Map<SSTableReader, Aside> aside = new HashMap<>();

  /** How often a task of one of them has failed, the most of any. */
  synchronized int failures(Collection<SSTableReader> sstables) {
    int failures = 0;
    for (SSTableReader sstable : sstables) {
      Aside at = aside.get(sstable);
      failures = at == null ? failures : Math.max(failures, at.failures);
    }
    return failures;
  }

  /**
   * A task has failed; puts what it worked on aside.
   *
   * @param earlier how often tasks of what it began with had failed, as some of that may have been
   *     rewritten since and gone
   */
  synchronized Setback put(Collection<SSTableReader> sstables, int earlier, long nowNanos) {
    int failures = 1 + Math.max(earlier, failures(sstables));
    long nanos = nanos(failures);
    for (SSTableReader sstable : sstables) {
      aside.put(sstable, new Aside(failures, nowNanos + nanos));
    }
    return new Setback(failures, nanos);
  }

  /** How long what has failed so often is left alone. */
  static long nanos(int failures) {
    return Math.min(MOST_NANOS, FIRST_NANOS << Math.min(failures - 1, MOST_DOUBLINGS));
  }

  /** True while it is to be left alone. */
  synchronized boolean holds(SSTableReader sstable, long nowNanos) {
    Aside at = aside.get(sstable);
    return at != null && at.untilNanos - nowNanos > 0;
  }

  /** It has gone, or somebody wants it whatever happened. */
  synchronized void forget(SSTableReader sstable) {
    aside.remove(sstable);
  }

  /** Somebody wants everything whatever happened. */
  synchronized void forgetAll() {
    aside.clear();
  }
}
