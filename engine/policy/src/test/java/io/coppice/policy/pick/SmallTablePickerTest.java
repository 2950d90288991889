// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.policy.pick;

import static org.assertj.core.api.Assertions.assertThat;

import io.coppice.policy.LevelFacts;
import io.coppice.policy.MergeRule;
import io.coppice.policy.RunFacts;
import io.coppice.policy.SegmentFacts;
import io.coppice.policy.Shape;
import io.coppice.policy.SliceFacts;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Choice of the small tables to join. Each table has a tenth of a full table's bytes. */
class SmallTablePickerTest {

  private static final MergeLimits LIMITS = new MergeLimits(1000, 0, 6, 0);

  private long ids;

  /** Returns a run of small tables, each from the first rank of a pair to the second. */
  private RunFacts run(int[]... tables) {
    List<SegmentFacts> segments = new ArrayList<>();
    for (int[] table : tables) {
      long id = ++ids;
      segments.add(
          SegmentFacts.of(
              new SliceFacts(id, id, table[0], table[1], 100, 10, 0, 100, false, 0, 0)));
    }
    return new RunFacts(++ids, segments, Set.of());
  }

  /** Returns the tables of each join in level 1, if its runs are these. */
  private static List<List<Long>> joined(MergeRule rule, RunFacts... runs) {
    List<LevelFacts> levels = List.of(new LevelFacts(List.of()), new LevelFacts(List.of(runs)));
    PlanningView view = new PlanningView(new Shape(rule, levels, List.of()));
    return SmallTablePicker.candidates(view, LIMITS, 2)
        .map(candidate -> candidate.plan().slices())
        .toList();
  }

  @ParameterizedTest
  @EnumSource(MergeRule.class)
  void neighborsAreJoined(MergeRule rule) {
    RunFacts wide = run(new int[] {0, 19}, new int[] {22, 90});
    RunFacts narrow = run(new int[] {10, 20}, new int[] {30, 40});
    assertThat(joined(rule, wide, narrow)).contains(List.of(4L, 5L));
  }

  @Test
  void smallTablesWithATableBetweenThemAreNotJoined() {
    RunFacts between = run(new int[] {21, 29});
    RunFacts narrow =
        run(new int[] {0, 9}, new int[] {10, 20}, new int[] {30, 40}, new int[] {41, 50});
    assertThat(joined(MergeRule.FREE, between, narrow))
        .containsExactly(List.of(3L, 4L), List.of(5L, 6L));
    assertThat(joined(MergeRule.ADJACENT, between, narrow))
        .containsExactly(List.of(3L, 4L, 5L, 6L));
  }

  @Test
  void aTableThatOverlapsANeighborIsNotBetween() {
    RunFacts over = run(new int[] {20, 29});
    RunFacts narrow = run(new int[] {10, 20}, new int[] {30, 40});
    assertThat(joined(MergeRule.FREE, over, narrow)).containsExactly(List.of(3L, 4L));
  }
}
