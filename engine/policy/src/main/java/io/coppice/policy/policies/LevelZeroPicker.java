// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.policy.policies;

import io.coppice.policy.Reason;
import io.coppice.policy.pick.CandidatePlan;
import io.coppice.policy.pick.OverlapCluster;
import io.coppice.policy.pick.PlacedSlice;
import io.coppice.policy.pick.PlanningView;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;

/**
 * Level-0 picker of leveled compaction: it merges overlap clusters of level 0 with the slices that
 * they overlap in level 1. The cluster with the oldest slice comes first.
 */
final class LevelZeroPicker {

  private final List<PlanningView.PlacedRun> runs;
  private final Reason reason;
  private final OutputLevel below;

  /**
   * Creates the picker of level 0 or of its oldest part.
   *
   * @param runs the oldest runs of level 0, newest first, none empty
   */
  LevelZeroPicker(List<PlanningView.PlacedRun> runs, Reason reason, OutputLevel below) {
    this.runs = runs;
    this.reason = reason;
    this.below = below;
  }

  /**
   * Returns the plans that empty the given number of the oldest runs: one move of all slices that
   * can move, then merges or delays. The cluster with the oldest slice comes first.
   */
  List<CandidatePlan> candidates(int runsToEmpty) {
    Map<Integer, Integer> left = new HashMap<>();
    for (PlanningView.PlacedRun run : runs) {
      left.put(run.ageIndex(), run.slices().size());
    }
    List<CandidatePlan> candidates = new ArrayList<>();
    List<PlacedSlice> moves = new ArrayList<>();
    int emptied = 0;
    for (OverlapCluster cluster : oldestFirst()) {
      if (emptied >= runsToEmpty) {
        break;
      }
      List<PlacedSlice> met = below.overlapping(cluster.low(), cluster.high());
      if (cluster.single() && met.isEmpty()) {
        moves.addAll(cluster.slices());
      } else {
        candidates.add(below.mergeOrDelay(cluster.slices(), met, reason));
      }
      for (PlacedSlice slice : cluster.slices()) {
        if (left.merge(slice.run(), -1, Integer::sum) == 0) {
          emptied++;
        }
      }
    }
    below.move(moves, reason).ifPresent(move -> candidates.add(0, move));
    return candidates;
  }

  private List<OverlapCluster> oldestFirst() {
    List<OverlapCluster> clusters = OverlapCluster.of(PlanningView.slicesOf(runs));
    Map<OverlapCluster, PlacedSlice> oldest = new IdentityHashMap<>();
    for (OverlapCluster cluster : clusters) {
      oldest.put(cluster, cluster.slices().stream().min(PlacedSlice.OLDEST_FIRST).orElseThrow());
    }
    clusters.sort((a, b) -> PlacedSlice.OLDEST_FIRST.compare(oldest.get(a), oldest.get(b)));
    return clusters;
  }
}
