// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.policy;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * Everything into one run: all runs become one new run of the deepest level in use, at least level
 * 1. A run in the making whose sources are all the others is continued; else a new one starts and
 * takes a former target in as one more source. Done when one run is left whose tables do not
 * overlap.
 */
final class MajorCompaction {

  private MajorCompaction() {}

  /** The pieces that remain; empty when done. */
  static List<Wish> wishes(Layout layout, long tableBytes) {
    List<Layout.PlacedRun> filled = layout.runs().stream().filter(run -> !run.isEmpty()).toList();
    if (filled.isEmpty() || (filled.size() == 1 && sorted(filled.get(0)))) {
      return List.of();
    }
    for (Layout.Filling filling : layout.fillings()) {
      if (covers(filling, filled)) {
        Reason reason =
            Reason.of(
                "major-continues",
                "major compaction, runs left: {runs}",
                "runs",
                filling.sources().size());
        return Join.into(filling.run(), filling.sources(), reason).wishes(layout, tableBytes);
      }
    }
    int deepest = Math.max(1, filled.get(filled.size() - 1).level());
    Reason reason = Reason.of("major", "major compaction of {runs} runs", "runs", filled.size());
    return Join.fresh(deepest, filled, 2, reason).wishes(layout, tableBytes);
  }

  private static boolean covers(Layout.Filling filling, List<Layout.PlacedRun> filled) {
    Set<Layout.PlacedRun> reached = new HashSet<>(filling.sources());
    reached.add(filling.run());
    return reached.containsAll(filled);
  }

  private static boolean sorted(Layout.PlacedRun run) {
    return Cluster.of(new ArrayList<>(run.slices())).size() == run.slices().size();
  }
}
