// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.compaction.shape;

import io.coppice.base.CorruptionException;
import io.coppice.table.OpenTables;
import io.coppice.table.TableEstimates;
import io.coppice.version.Level;
import io.coppice.version.Run;
import io.coppice.version.Segment;
import io.coppice.version.Slice;
import io.coppice.version.Version;
import java.io.UncheckedIOException;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.Map;
import java.util.Set;

/**
 * Expired fraction of each table of a family. A table's properties tell whether its values expire
 * at all; once the first value has expired, the table is sampled. Used by one thread at a time,
 * under the compactor's lock.
 *
 * <p>Each call of {@link #update} reads few files, so that a store with many tables opens fast.
 * {@link #restNanos} tells when the next call is due.
 */
public final class EndedShares {

  /** Resolution of a table's expired fraction: it is counted in eighths. */
  static final int PARTS = TableEstimates.PARTS;

  /** Largest number of tables whose properties or samples one {@link #update} reads. */
  private static final int READS = 32;

  /** Number of tables without expiry that are remembered before removed ones are forgotten. */
  private static final int FEW = 1_024;

  private static final long MILLI = 1_000_000L;

  /**
   * Longest time in milliseconds between two calls of {@link #update}, because people may set the
   * system clock.
   */
  private static final long MAX_REST_MILLIS = 60_000;

  /**
   * Shortest rest before the next value expires, and first pause after a failed read; that pause
   * doubles up to {@link #MAX_REST_MILLIS}. Both are in milliseconds.
   */
  private static final long MIN_REST_MILLIS = 1_000;

  private static final long[] UNSAMPLED = {};

  /**
   * Reader of tables by number. Called by one thread at a time. Both methods throw {@link
   * CorruptionException} if the table is damaged and {@link UncheckedIOException} if it cannot be
   * read.
   */
  public interface Source {
    /**
     * Returns the expiry time of the value that expires first, in milliseconds since 1970; {@link
     * Long#MAX_VALUE} if none expires.
     */
    long firstEndMillis(long table);

    /**
     * Returns the times when each eighth of the table has expired, ascending, in milliseconds since
     * 1970, as {@link TableEstimates#expiryEighths}.
     */
    long[] ends(long table);

    /** Returns the source that reads open tables. */
    static Source of(OpenTables tables) {
      return new Source() {
        @Override
        public long firstEndMillis(long table) {
          return tables.firstEndMillis(table);
        }

        @Override
        public long[] ends(long table) {
          return TableEstimates.expiryEighths(tables.get(table));
        }
      };
    }
  }

  /** Expiry times of a table that has values which expire. */
  private static final class Ends {
    final long first;
    long[] parts = UNSAMPLED;

    Ends(long first) {
      this.first = first;
    }
  }

  /**
   * Next attempt at an unreadable table.
   *
   * @param atMillis when it is due, in milliseconds since 1970
   * @param pauseMillis pause before it
   */
  private record Retry(long atMillis, long pauseMillis) {}

  private final Source tables;

  /**
   * Runs of the last version whose tables have all been checked for values that expire; updates
   * skip them.
   */
  private Set<Run> known = Collections.newSetFromMap(new IdentityHashMap<>());

  private final Set<Long> withoutEnds = new HashSet<>();
  private int withoutEndsKept = FEW;
  private final Map<Long, Ends> ending = new HashMap<>();
  private final Map<Long, Retry> unreadable = new HashMap<>();

  /** Expired eighths by table; tables without any are absent. */
  private Map<Long, Integer> ended = Map.of();

  private long restMillis = Long.MAX_VALUE;

  // State of the present update.
  private long nowMillis;
  private long nextMillis;
  private int readsLeft;
  private boolean more;

  public EndedShares(Source tables) {
    this.tables = tables;
  }

  /**
   * Returns the expired eighths of each table, 1 to 8, at the last {@link #update}, by table
   * number; absent means 0. The map does not change.
   */
  public Map<Long, Integer> ended() {
    return ended;
  }

  /**
   * Returns the nanoseconds from the last {@link #update} until the next one is due; {@link
   * Long#MAX_VALUE} if no value will expire.
   */
  public long restNanos() {
    return restMillis == Long.MAX_VALUE ? restMillis : restMillis * MILLI;
  }

  /**
   * Updates the expired fractions. It skips tables that cannot be read now, because readers and
   * merges report those, and retries each after a pause.
   *
   * @param version version that the caller leases
   * @param now milliseconds since 1970
   */
  public void update(Version version, long now) {
    nowMillis = now;
    nextMillis = Long.MAX_VALUE;
    readsLeft = READS;
    more = false;
    learn(version);
    Map<Long, Integer> past = new HashMap<>();
    for (Map.Entry<Long, Ends> entry : ending.entrySet()) {
      int eighths = eighthsPast(entry.getKey(), entry.getValue());
      if (eighths > 0) {
        past.put(entry.getKey(), eighths);
      }
    }
    ended = Map.copyOf(past);
    restMillis =
        more
            ? 1
            : nextMillis == Long.MAX_VALUE
                ? nextMillis
                : Math.max(MIN_REST_MILLIS, Math.min(MAX_REST_MILLIS, nextMillis - nowMillis));
  }

  private int eighthsPast(long table, Ends ends) {
    if (ends.first > nowMillis) {
      dueAt(ends.first);
      return 0;
    }
    if (ends.parts == UNSAMPLED && mayRead(table)) {
      sample(table, ends);
    }
    int past = 0;
    while (past < ends.parts.length && ends.parts[past] <= nowMillis) {
      past++;
    }
    if (past < ends.parts.length) {
      dueAt(ends.parts[past]);
    }
    return past;
  }

  private void dueAt(long millis) {
    nextMillis = Math.min(nextMillis, millis);
  }

  /**
   * Returns whether the current {@link #update} may read the table: it has reads left, and the
   * table awaits no retry.
   */
  private boolean mayRead(long table) {
    Retry retry = unreadable.get(table);
    // The clock may have been set back.
    if (retry != null
        && retry.atMillis > nowMillis
        && retry.atMillis <= nowMillis + retry.pauseMillis) {
      dueAt(retry.atMillis);
      return false;
    }
    more |= readsLeft == 0;
    return readsLeft-- > 0;
  }

  private void failed(long table) {
    Retry last = unreadable.get(table);
    long pause = last == null ? MIN_REST_MILLIS : Math.min(MAX_REST_MILLIS, 2 * last.pauseMillis);
    unreadable.put(table, new Retry(nowMillis + pause, pause));
    dueAt(nowMillis + pause);
  }

  /** Reads the properties of tables not seen before. */
  private void learn(Version version) {
    Set<Run> whole = Collections.newSetFromMap(new IdentityHashMap<>());
    boolean changed = false;
    for (Level level : version.levels()) {
      for (Run run : level.runs()) {
        changed |= !known.contains(run);
        if (known.contains(run) || learn(run)) {
          whole.add(run);
        }
      }
    }
    if (changed || whole.size() != known.size()) {
      known = whole;
      forget(version);
    }
  }

  /**
   * Reads the properties of a run's new tables. Returns whether all tables of the run are now
   * checked for values that expire.
   */
  private boolean learn(Run run) {
    boolean all = true;
    for (Segment segment : run.segments()) {
      for (Slice slice : segment.slices()) {
        long table = slice.table().number();
        if (withoutEnds.contains(table) || ending.containsKey(table)) {
          continue;
        }
        all &= mayRead(table) && learn(table);
        if (more) {
          return false;
        }
      }
    }
    return all;
  }

  private boolean learn(long table) {
    try {
      long first = tables.firstEndMillis(table);
      if (first == Long.MAX_VALUE) {
        withoutEnds.add(table);
      } else {
        ending.put(table, new Ends(first));
      }
    } catch (CorruptionException e) {
      withoutEnds.add(table);
    } catch (UncheckedIOException e) {
      failed(table);
      return false;
    }
    unreadable.remove(table);
    return true;
  }

  private void sample(long table, Ends ends) {
    try {
      ends.parts = tables.ends(table);
    } catch (CorruptionException e) {
      ends.parts = new long[] {Long.MAX_VALUE};
    } catch (UncheckedIOException e) {
      failed(table);
      return;
    }
    unreadable.remove(table);
  }

  /**
   * Forgets tables that left the version: those with expiring values at once, others once they are
   * many.
   */
  private void forget(Version version) {
    if (!ending.isEmpty() || !unreadable.isEmpty() || withoutEnds.size() > withoutEndsKept) {
      Set<Long> present = new HashSet<>();
      version.forEachSlice(slice -> present.add(slice.table().number()));
      withoutEnds.retainAll(present);
      ending.keySet().retainAll(present);
      unreadable.keySet().retainAll(present);
      withoutEndsKept = 2 * withoutEnds.size() + FEW;
    }
  }
}
