// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.tool.console;

import io.coppice.policy.TableMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * What one console has seen of one process in the last day: the figures of all tables and their
 * pictures. It is kept in memory and ends with the console. Safe to share between threads.
 */
final class History {

  /** Pictures of a process take no more, packed. */
  private static final long MAX_PICTURE_BYTES = 64L << 20;

  private final Map<String, Thinned<LiveTable.Figures>> figures = new HashMap<>();
  private final Map<String, Thinned<byte[]>> pictures = new HashMap<>();
  private final Map<String, Integer> lastPicture = new HashMap<>();
  private long pictureBytes;
  private int coarseness = 1;

  /** Notes what was seen of a process. */
  synchronized void note(NodeView view) {
    for (LiveTable table : view.tables()) {
      figures
          .computeIfAbsent(table.id(), id -> new Thinned<>())
          .add(view.atMillis(), table.figures());
      table.map().ifPresent(map -> note(table.id(), view.atMillis(), map));
    }
  }

  private void note(String id, long atMillis, TableMap map) {
    int shown = Pictures.fingerprint(map);
    if (Integer.valueOf(shown).equals(lastPicture.put(id, shown))) {
      return;
    }
    byte[] packed = Pictures.pack(map);
    pictures.computeIfAbsent(id, one -> new Thinned<>()).add(atMillis, packed);
    pictureBytes += packed.length;
    while (pictureBytes > MAX_PICTURE_BYTES && coarseness < 1 << 10) {
      coarseness *= 2;
      pictures.values().forEach(some -> some.thin(atMillis, coarseness));
      pictureBytes =
          pictures.values().stream()
              .flatMap(some -> some.all().stream())
              .mapToLong(one -> one.what().length)
              .sum();
    }
  }

  /** The figures of a table, oldest first. */
  synchronized List<Thinned.Seen<LiveTable.Figures>> figures(String id) {
    Thinned<LiveTable.Figures> known = figures.get(id);
    return known == null ? List.of() : known.all();
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
