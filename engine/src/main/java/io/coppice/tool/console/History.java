// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.tool.console;

import io.coppice.policy.StrategySnapshot.Decision;
import io.coppice.policy.TableMap;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * What one console has seen of one process in the last day: the figures of all tables, their
 * pictures and decisions. It is kept in memory and ends with the console. Safe to share between
 * threads.
 */
final class History {

  /** Pictures of a process take no more, packed. */
  private static final long MAX_PICTURE_BYTES = 64L << 20;

  /** Before the oldest pictures go, so many times fewer of those that are not close are kept. */
  private static final int MOST_COARSE = 16;

  /** Of a table; a plan a second for three hours. */
  private static final int MAX_DECISIONS = 10_000;

  private static final int TOLD_DECISIONS = 100;

  private static final Comparator<Decision> ORDER =
      Comparator.comparingLong(Decision::atMillis).thenComparingLong(Decision::id);

  private final long maxPictureBytes;
  private final Map<String, Thinned<LiveTable.Figures>> figures = new HashMap<>();
  private final Map<String, Thinned<byte[]>> pictures = new HashMap<>();
  private final Map<String, Deque<Decision>> decisions = new HashMap<>();
  private final Map<String, List<Thinned.Seen<String>>> policies = new HashMap<>();
  private final Map<String, Integer> lastPicture = new HashMap<>();
  private long pictureBytes;

  /** Nothing was seen yet. */
  History() {
    this(MAX_PICTURE_BYTES);
  }

  History(long maxPictureBytes) {
    this.maxPictureBytes = maxPictureBytes;
  }

  /** Notes what was seen of a process. */
  synchronized void note(NodeView view) {
    for (LiveTable table : view.tables()) {
      figures
          .computeIfAbsent(table.id(), id -> new Thinned<>())
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

  /** Keeps a policy if it is another than the one before, whoever has changed it. */
  private void note(String id, long nowMillis, String policy) {
    List<Thinned.Seen<String>> known = policies.computeIfAbsent(id, one -> new ArrayList<>());
    if (known.isEmpty() || !known.get(known.size() - 1).what().equals(policy)) {
      known.add(new Thinned.Seen<>(nowMillis, policy));
    }
    // The one that a day ago was in force has begun before.
    while (known.size() > 1 && known.get(1).atMillis() < nowMillis - Thinned.KEPT_MILLIS) {
      known.remove(0);
    }
  }

  /** Takes in those that are newer than all that are kept; numbers begin anew with a process. */
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
        || !kept.isEmpty() && nowMillis - kept.getLast().atMillis() > Thinned.KEPT_MILLIS) {
      kept.removeLast();
    }
  }

  /** What had been decided of a table by then, newest first, as many as a process tells. */
  synchronized List<Decision> decisions(String id, long millis) {
    return decisions.getOrDefault(id, new ArrayDeque<>()).stream()
        .filter(one -> one.atMillis() <= millis)
        .limit(TOLD_DECISIONS)
        .toList();
  }

  private void note(String id, long atMillis, TableMap map) {
    int shown = Pictures.fingerprint(map);
    if (Integer.valueOf(shown).equals(lastPicture.put(id, shown))) {
      return;
    }
    byte[] packed = Pictures.pack(map);
    pictures.computeIfAbsent(id, one -> new Thinned<>()).add(atMillis, packed);
    pictureBytes += packed.length;
    if (pictureBytes <= maxPictureBytes) {
      return;
    }
    // Thinning by age has gone on beside this count.
    pictureBytes = countPictures();
    for (int times = 2; pictureBytes > maxPictureBytes && times <= MOST_COARSE; times *= 2) {
      int fewer = times;
      pictures.values().forEach(some -> some.thin(atMillis, fewer));
      pictureBytes = countPictures();
    }
    if (pictureBytes > maxPictureBytes) {
      dropOldest();
      pictureBytes = countPictures();
    }
  }

  /** Bytes of all pictures that are kept, packed. */
  synchronized long countPictures() {
    return pictures.values().stream()
        .flatMap(some -> some.all().stream())
        .mapToLong(one -> one.what().length)
        .sum();
  }

  /** Drops the oldest pictures of all tables, until a quarter of the room is free. */
  private void dropOldest() {
    long wanted = pictureBytes - maxPictureBytes / 4 * 3;
    long last = Long.MIN_VALUE;
    for (Thinned.Seen<byte[]> one :
        pictures.values().stream()
            .flatMap(some -> some.all().stream())
            .sorted(Comparator.comparingLong(Thinned.Seen::atMillis))
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

  /** The figures of a table, oldest first. */
  synchronized List<Thinned.Seen<LiveTable.Figures>> figures(String id) {
    Thinned<LiveTable.Figures> known = figures.get(id);
    return known == null ? List.of() : known.all();
  }

  /** The policies that were in force, oldest first, each with the look that first saw it. */
  synchronized List<Thinned.Seen<String>> policies(String id) {
    return List.copyOf(policies.getOrDefault(id, List.of()));
  }

  /** When pictures of a table were kept, oldest first. */
  synchronized List<Long> times(String id) {
    Thinned<byte[]> known = pictures.get(id);
    return known == null ? List.of() : known.all().stream().map(Thinned.Seen::atMillis).toList();
  }

  /** The picture of a table as it was then. */
  synchronized Optional<byte[]> picture(String id, long millis) {
    Thinned<byte[]> known = pictures.get(id);
    return known == null ? Optional.empty() : known.at(millis).map(Thinned.Seen::what);
  }
}
