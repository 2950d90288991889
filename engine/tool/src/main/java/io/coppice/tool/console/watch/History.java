// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.tool.console.watch;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.coppice.policy.observe.StrategySnapshot.Decision;
import io.coppice.policy.observe.TableMap;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The history of one process over the last day, as one console has seen it: metrics, table maps and
 * decisions of all tables. It is kept in memory and ends with the console. Thread-safe.
 */
public final class History {

  /**
   * Most bytes of compressed table maps that are kept of one process; beyond them, older maps are
   * thinned out.
   */
  private static final long MAX_PICTURE_BYTES = 64L << 20;

  /**
   * Largest factor of the intervals between older maps. If the maps still exceed their space, the
   * oldest are deleted.
   */
  private static final int MAX_COARSE = 16;

  /** Most decisions kept per table: enough for one plan per second over almost three hours. */
  private static final int MAX_DECISIONS = 10_000;

  private static final int TOLD_DECISIONS = 100;

  private static final Comparator<Decision> ORDER =
      Comparator.comparingLong(Decision::atMillis).thenComparingLong(Decision::id);

  private final long maxPictureBytes;

  @GuardedBy("this")
  private final Map<String, DownsampledHistory<LiveTable.Figures>> figures = new HashMap<>();

  @GuardedBy("this")
  private final Map<String, DownsampledHistory<byte[]>> pictures = new HashMap<>();

  @GuardedBy("this")
  private final Map<String, Deque<Decision>> decisions = new HashMap<>();

  @GuardedBy("this")
  private final Map<String, List<DownsampledHistory.Seen<String>>> policies = new HashMap<>();

  @GuardedBy("this")
  private final Map<String, Integer> lastPicture = new HashMap<>();

  @GuardedBy("this")
  private long pictureBytes;

  /** Creates an empty history. */
  public History() {
    this(MAX_PICTURE_BYTES);
  }

  History(long maxPictureBytes) {
    this.maxPictureBytes = maxPictureBytes;
  }

  /** Adds the state of a process, which must be newer than all others. */
  public synchronized void note(ProcessStatus view) {
    for (LiveTable table : view.tables()) {
      figures
          .computeIfAbsent(table.id(), id -> new DownsampledHistory<>())
          .add(view.atMillis(), table.figures());
      note(table.id(), view.atMillis(), table.inForce());
      table.map().ifPresent(map -> note(table.id(), view.atMillis(), map));
      table
          .snapshot()
          .ifPresent(snapshot -> note(table.id(), view.atMillis(), snapshot.decisions()));
    }
    if (figures.values().removeIf(some -> some.isOver(view.atMillis()))) {
      pictures.keySet().retainAll(figures.keySet());
      lastPicture.keySet().retainAll(figures.keySet());
      decisions.keySet().retainAll(figures.keySet());
      policies.keySet().retainAll(figures.keySet());
    }
  }

  /**
   * Records the active policy of a table if it differs from the last recorded one, regardless of
   * the origin of the change.
   */
  @GuardedBy("this")
  private void note(String id, long nowMillis, String policy) {
    List<DownsampledHistory.Seen<String>> known =
        policies.computeIfAbsent(id, one -> new ArrayList<>());
    if (known.isEmpty() || !known.get(known.size() - 1).what().equals(policy)) {
      known.add(new DownsampledHistory.Seen<>(nowMillis, policy));
    }
    // The policy that was active a day ago began earlier, so its entry stays.
    while (known.size() > 1
        && known.get(1).atMillis() < nowMillis - DownsampledHistory.KEPT_MILLIS) {
      known.remove(0);
    }
  }

  /**
   * Adds the decisions that are newer than all recorded ones. Decision numbers restart with a
   * process.
   */
  @GuardedBy("this")
  private void note(String id, long nowMillis, List<Decision> newestFirst) {
    Deque<Decision> kept = decisions.computeIfAbsent(id, one -> new ArrayDeque<>());
    Decision last = kept.peekFirst();
    for (int i = newestFirst.size() - 1; i >= 0; i--) {
      Decision one = newestFirst.get(i);
      if (last == null || ORDER.compare(one, last) > 0) {
        kept.addFirst(one);
      }
    }
    while (kept.size() > MAX_DECISIONS
        || !kept.isEmpty()
            && nowMillis - kept.getLast().atMillis() > DownsampledHistory.KEPT_MILLIS) {
      kept.removeLast();
    }
  }

  /**
   * Returns the decisions about a table up to a time, newest first, at most {@value
   * #TOLD_DECISIONS}, as many as a process reports.
   *
   * @param millis the time in milliseconds since 1970, inclusive
   */
  public synchronized List<Decision> decisions(String id, long millis) {
    return decisions.getOrDefault(id, new ArrayDeque<>()).stream()
        .filter(one -> one.atMillis() <= millis)
        .limit(TOLD_DECISIONS)
        .toList();
  }

  @GuardedBy("this")
  private void note(String id, long atMillis, TableMap map) {
    int shown = TableMapJson.fingerprint(map);
    if (Integer.valueOf(shown).equals(lastPicture.put(id, shown))) {
      return;
    }
    byte[] packed = TableMapJson.pack(map);
    pictures.computeIfAbsent(id, one -> new DownsampledHistory<>()).add(atMillis, packed);
    pictureBytes += packed.length;
    if (pictureBytes <= maxPictureBytes) {
      return;
    }
    // This sum still counts maps that thinning by age has removed.
    pictureBytes = countPictures();
    for (int times = 2; pictureBytes > maxPictureBytes && times <= MAX_COARSE; times *= 2) {
      int fewer = times;
      pictures.values().forEach(some -> some.thin(atMillis, fewer));
      pictureBytes = countPictures();
    }
    if (pictureBytes > maxPictureBytes) {
      dropOldest();
      pictureBytes = countPictures();
    }
  }

  /** Returns the sum of the compressed bytes of all table maps in this history. */
  synchronized long countPictures() {
    return pictures.values().stream()
        .flatMap(some -> some.all().stream())
        .mapToLong(one -> one.what().length)
        .sum();
  }

  /** Deletes the oldest maps of all tables until a quarter of the space is free. */
  @GuardedBy("this")
  private void dropOldest() {
    long wanted = pictureBytes - maxPictureBytes / 4 * 3;
    long last = Long.MIN_VALUE;
    for (DownsampledHistory.Seen<byte[]> one :
        pictures.values().stream()
            .flatMap(some -> some.all().stream())
            .sorted(Comparator.comparingLong(DownsampledHistory.Seen::atMillis))
            .toList()) {
      if (wanted <= 0) {
        break;
      }
      wanted -= one.what().length;
      last = one.atMillis();
    }
    long until = last;
    pictures.values().forEach(some -> some.dropUntil(until));
  }

  /** Returns the metrics of a table, oldest first; empty for an unknown table. */
  public synchronized List<DownsampledHistory.Seen<LiveTable.Figures>> figures(String id) {
    DownsampledHistory<LiveTable.Figures> known = figures.get(id);
    return known == null ? List.of() : known.all();
  }

  /**
   * Returns the policies of a table that were active, oldest first, each with the time of its first
   * sample.
   */
  public synchronized List<DownsampledHistory.Seen<String>> policies(String id) {
    return List.copyOf(policies.getOrDefault(id, List.of()));
  }

  /** Returns the times of a table's maps in milliseconds since 1970, oldest first. */
  public synchronized List<Long> times(String id) {
    DownsampledHistory<byte[]> known = pictures.get(id);
    return known == null
        ? List.of()
        : known.all().stream().map(DownsampledHistory.Seen::atMillis).toList();
  }

  /**
   * Returns the last map of a table at or before a time, else the first map; empty if there is
   * none.
   *
   * @param millis the time in milliseconds since 1970
   * @return the map as {@link TableMapJson#pack} compresses it
   */
  public synchronized Optional<byte[]> picture(String id, long millis) {
    DownsampledHistory<byte[]> known = pictures.get(id);
    return known == null ? Optional.empty() : known.at(millis).map(DownsampledHistory.Seen::what);
  }
}
