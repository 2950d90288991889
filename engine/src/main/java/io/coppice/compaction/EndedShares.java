// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.compaction;

import io.coppice.base.CorruptionException;
import io.coppice.manifest.Level;
import io.coppice.manifest.Run;
import io.coppice.manifest.Segment;
import io.coppice.manifest.Slice;
import io.coppice.manifest.Version;
import io.coppice.table.OpenTables;
import io.coppice.table.Table;
import java.io.UncheckedIOException;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.Map;
import java.util.Set;

/**
 * The share of each table of a family whose values are past their end. It learns from a table's
 * properties whether values end at all, and samples the table once the first of them has. Guarded
 * by the compactor's lock.
 *
 * <p>Each look reads few files, so that a store with many tables opens as fast as before. {@link
 * #restNanos} says when to look again.
 */
final class EndedShares {

  /** How finely the share of a table is known. */
  static final int PARTS = Table.END_PARTS;

  /** Tables whose properties or samples one look reads at most. */
  private static final int READS = 32;

  /** Tables without ends that it remembers though they may be gone. */
  private static final int FEW = 1_024;

  private static final long MILLI = 1_000_000L;

  /** Longest rest, since the system's clock may be set. */
  private static final long MAX_REST_MILLIS = 60_000;

  /** Shortest rest before the next value ends. */
  private static final long MIN_REST_MILLIS = 1_000;

  private static final long[] UNSAMPLED = {};

  /** What is known of a table in which values end. */
  private static final class Ends {
    final long first;
    long[] parts = UNSAMPLED;

    Ends(long first) {
      this.first = first;
    }
  }

  private final OpenTables tables;

  /** Runs of which every table is known. */
  private Set<Run> known = Collections.newSetFromMap(new IdentityHashMap<>());

  private final Set<Long> endless = new HashSet<>();
  private int endlessKept = FEW;
  private final Map<Long, Ends> ending = new HashMap<>();

  /** Eighths past their end by table, those without any left out. */
  private Map<Long, Integer> ended = Map.of();

  private long restMillis = Long.MAX_VALUE;

  EndedShares(OpenTables tables) {
    this.tables = tables;
  }

  /** Returns the eighths of each table that were past their end at the last look; none is 0. */
  Map<Long, Integer> ended() {
    return ended;
  }

  /** Returns how long after a look the next one is due; the largest long if no value will end. */
  long restNanos() {
    return restMillis == Long.MAX_VALUE ? restMillis : restMillis * MILLI;
  }

  /**
   * Brings what is known up to date. Passes over tables that cannot be read now, which readers and
   * merges report.
   */
  void look(Version version, long nowMillis) {
    int reads = learn(version);
    boolean failed = reads < 0;
    reads = Math.abs(reads);
    long next = Long.MAX_VALUE;
    Map<Long, Integer> now = new HashMap<>();
    for (Map.Entry<Long, Ends> entry : ending.entrySet()) {
      Ends ends = entry.getValue();
      if (ends.first > nowMillis) {
        next = Math.min(next, ends.first);
        continue;
      }
      if (ends.parts == UNSAMPLED && reads++ < READS) {
        ends.parts = sample(entry.getKey());
      }
      int past = 0;
      while (past < ends.parts.length && ends.parts[past] <= nowMillis) {
        past++;
      }
      if (past > 0) {
        now.put(entry.getKey(), past);
      }
      if (past < ends.parts.length) {
        next = Math.min(next, ends.parts[past]);
      }
    }
    ended = Map.copyOf(now);
    restMillis =
        reads >= READS
            ? 1
            : next == Long.MAX_VALUE && !failed
                ? next
                : Math.max(MIN_REST_MILLIS, Math.min(MAX_REST_MILLIS, next - nowMillis));
  }

  /** Learns of new tables; returns how many files it read, negative if one could not be. */
  private int learn(Version version) {
    Set<Run> whole = Collections.newSetFromMap(new IdentityHashMap<>());
    int[] reads = {0, 1};
    boolean changed = false;
    for (Level level : version.levels()) {
      for (Run run : level.runs()) {
        changed |= !known.contains(run);
        if (known.contains(run) || learn(run, reads)) {
          whole.add(run);
        }
      }
    }
    if (changed || whole.size() != known.size()) {
      known = whole;
      forget(version);
    }
    return reads[0] * reads[1];
  }

  /** False if a table of the run remains unknown. */
  private boolean learn(Run run, int[] reads) {
    boolean all = true;
    for (Segment segment : run.segments()) {
      for (Slice slice : segment.slices()) {
        long table = slice.table().number();
        if (endless.contains(table) || ending.containsKey(table)) {
          continue;
        }
        if (reads[0] >= READS) {
          return false;
        }
        reads[0]++;
        try {
          long first = tables.firstEndMillis(table);
          if (first == Long.MAX_VALUE) {
            endless.add(table);
          } else {
            ending.put(table, new Ends(first));
          }
        } catch (CorruptionException e) {
          endless.add(table);
        } catch (UncheckedIOException e) {
          reads[1] = -1;
          all = false;
        }
      }
    }
    return all;
  }

  private long[] sample(long table) {
    try {
      return tables.get(table).ends();
    } catch (CorruptionException e) {
      return new long[] {Long.MAX_VALUE};
    } catch (UncheckedIOException e) {
      return UNSAMPLED;
    }
  }

  /** Forgets the tables that are gone: where values end at once, else once they are many. */
  private void forget(Version version) {
    if (!ending.isEmpty() || endless.size() > endlessKept) {
      Set<Long> present = new HashSet<>();
      version.forEachSlice(slice -> present.add(slice.table().number()));
      endless.retainAll(present);
      ending.keySet().retainAll(present);
      endlessKept = 2 * endless.size() + FEW;
    }
  }
}
