// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.policy;

import java.util.List;
import java.util.Set;

/**
 * Segments in key order that do not overlap: a level of leveled, a group of grouped, a tree of the
 * split forest.
 *
 * @param id the run's identity, unique within a Shape
 * @param segments by ascending rank; empty only while the run is being filled
 * @param sources ids of the runs that still feed this one. Not empty means <em>in the making</em>:
 *     plans that empty the sources join this run, and until they are empty the run is not complete
 *     and must not itself be merged onward
 */
public record RunFacts(long id, List<SegmentFacts> segments, Set<Long> sources) {

  /** Copies the collections and checks the order of the segments. */
  public RunFacts {
    segments = List.copyOf(segments);
    sources = Set.copyOf(sources);
    for (int i = 1; i < segments.size(); i++) {
      if (segments.get(i - 1).high() >= segments.get(i).low()) {
        throw new IllegalArgumentException(
            "run "
                + id
                + ": segment "
                + i
                + " starts at rank "
                + segments.get(i).low()
                + ", its neighbour ends at "
                + segments.get(i - 1).high());
      }
    }
  }

  /** True when nothing feeds it any more. */
  public boolean complete() {
    return sources.isEmpty();
  }

  /** Bytes of its segments. */
  public long bytes() {
    long bytes = 0;
    for (SegmentFacts segment : segments) {
      bytes += segment.bytes();
    }
    return bytes;
  }
}
