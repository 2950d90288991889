// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.bench.adaptive;

import io.coppice.Store;
import io.coppice.StoreStats;
import io.coppice.policy.DecisionJournal;
import io.coppice.policy.Switch;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * Looks at what the switches of a store's analyser cost, while one thread works on it. Used by that
 * thread.
 *
 * <p>Bytes are counted as the engine counts them: what merges have read since the switch, less what
 * it lets flushes since then pay for. Of each switch the most that this ever came to counts, until
 * the next one or the end.
 */
final class SwitchWatch {

  /** How long after a switch an operation counts as one around it. */
  private static final long AROUND_NANOS = TimeUnit.SECONDS.toNanos(2);

  /** Shorter operations are no waits. */
  private static final long LEAST_NANOS = TimeUnit.MILLISECONDS.toNanos(1);

  private static final long LOOK_NANOS = TimeUnit.MILLISECONDS.toNanos(100);
  private static final long COUNT_NANOS = TimeUnit.SECONDS.toNanos(1);
  private static final double MILLION = 1e6;

  /** An operation that took long. */
  private record Slow(long fromNanos, long toNanos) {}

  private final Store store;
  private final long liveBytes;
  private final List<Switch> switches = new ArrayList<>();
  private final List<Slow> slow = new ArrayList<>();
  private int seen;
  private long lookAt;
  private long countAt;
  private long mergedBefore;
  private long flushedBefore;
  private double mostBytes;

  /** Begins now; earlier switches do not count. */
  SwitchWatch(Store store, long liveBytes) {
    this.store = store;
    this.liveBytes = liveBytes;
    seen = store.switches().size();
    lookAt = System.nanoTime();
    countAt = lookAt;
  }

  /** An operation is over. */
  void operation(long fromNanos, long toNanos) {
    if (toNanos - fromNanos >= LEAST_NANOS) {
      slow.add(new Slow(fromNanos, toNanos));
    }
  }

  /** Looks at the store if it is time to. */
  void look(long nowNanos) {
    if (nowNanos - lookAt < 0) {
      return;
    }
    lookAt = nowNanos + LOOK_NANOS;
    List<DecisionJournal.FamilySwitch> made = store.switches();
    if (made.size() > seen) {
      seen = made.size();
      count();
      switches.add(made.get(made.size() - 1).made());
      StoreStats stats = store.stats();
      mergedBefore = stats.mergeReadBytes();
      flushedBefore = stats.flushedBytes();
    } else if (nowNanos - countAt >= 0) {
      countAt = nowNanos + COUNT_NANOS;
      count();
    }
  }

  private void count() {
    if (!switches.isEmpty()) {
      StoreStats stats = store.stats();
      double paid = switches.get(switches.size() - 1).allowance().paid();
      double flushed = stats.flushedBytes() - flushedBefore;
      mostBytes = Math.max(mostBytes, stats.mergeReadBytes() - mergedBefore - paid * flushed);
    }
  }

  /** What was seen. */
  Outcome.Switches end() {
    count();
    long longest = 0;
    for (Slow one : slow) {
      if (switches.stream().anyMatch(made -> isAround(one, made.nanos()))) {
        longest = Math.max(longest, one.toNanos() - one.fromNanos());
      }
    }
    return new Outcome.Switches(switches.size(), mostBytes / liveBytes, longest / MILLION);
  }

  private static boolean isAround(Slow one, long switchNanos) {
    return one.toNanos() - switchNanos >= 0 && one.fromNanos() - switchNanos <= AROUND_NANOS;
  }
}
