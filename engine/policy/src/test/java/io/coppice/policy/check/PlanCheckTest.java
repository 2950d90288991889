// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.policy.check;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.coppice.policy.Budget;
import io.coppice.policy.Plan;
import io.coppice.policy.PlanCost;
import io.coppice.policy.PureHost;
import io.coppice.policy.Reason;
import io.coppice.policy.Shape;
import io.coppice.policy.Target;
import io.coppice.policy.spec.Script;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Each law from both sides, on drawn trees. Runs have the ids 1, 2, ... in the order drawn. */
class PlanCheckTest {

  private static final Reason REASON = Reason.of("test", "test");
  private static final int MAX_LEVEL = 8;

  private static final String TWO_LEVELS =
      """
      shape adjacent
        L0  run t9[a..c] 8M   t8[p..q] 8M
            run t7[b..d] 8M   t6[s..t] 8M
        L1  run t5[c..f] 8M   t4[k..m] 8M
            run t3[a..z] 8M
      """;

  @Test
  void law2RefusesSlicesThatAreUnknownRepeatedOrClaimed() {
    refuses(TWO_LEVELS, merge(Target.newest(1), 99), "law 2: slice 99 is not in the shape");
    refuses(TWO_LEVELS, merge(Target.newest(1), 6, 6), "law 2: slice 6 is named twice");
    String claimed = "shape adjacent\n  L0 run t9[a..c] 8M claimed\n";
    refuses(claimed, move(Target.newest(1), 9), "law 2: slice 9 is claimed by a plan under way");
  }

  @Test
  void law3RefusesToCarryNewerPastOlder() {
    refuses(
        TWO_LEVELS,
        merge(Target.newest(1), 9),
        "law 3: slice 9 would pass slice 7, which it overlaps");
    allows(TWO_LEVELS, merge(Target.newest(1), 9, 7));
    allows(TWO_LEVELS, merge(Target.newest(1), 7));
    allows(TWO_LEVELS, move(Target.newest(1), 8));
  }

  @Test
  void law3RefusesToCarryOlderPastNewer() {
    refuses(
        TWO_LEVELS,
        merge(Target.newest(0), 7),
        "law 3: slice 7 would pass slice 9, which it overlaps");
    refuses(
        TWO_LEVELS,
        merge(Target.newest(1), 4, 3),
        "law 3: slice 3 would pass slice 5, which it overlaps");
    allows(TWO_LEVELS, move(Target.newest(0), 6));
    allows(TWO_LEVELS, merge(Target.join(1, 3), 5, 4, 3));
  }

  @Test
  void law3RefusesToPassTheRunsBetween() {
    refuses(
        TWO_LEVELS,
        merge(Target.newest(2), 9, 7),
        "law 3: slice 9 would pass slice 5, which it overlaps");
    allows(TWO_LEVELS, merge(Target.newest(2), 9, 7, 5, 3));
  }

  @Test
  void law3DoesNotBindUnderFree() {
    String free = "shape free\n  L0 run t9[a..c] 8M\n run t7[b..d] 8M\n  L1 run t5[c..f] 8M\n";
    allows(free, merge(Target.newest(1), 9));
    allows(free, move(Target.newest(1), 7));
  }

  @Test
  void law3AsksForSourcesThatHoldTheInputsAndLieTogether() {
    allows(TWO_LEVELS, merge(Target.newest(1, Set.of(1L, 2L)), 9, 7));
    refuses(
        TWO_LEVELS,
        merge(Target.newest(1, Set.of(2L)), 9, 7),
        "law 3: slice 9 lies in run 1, which is no source");
    refuses(
        TWO_LEVELS,
        merge(Target.newest(1, Set.of(1L, 2L, 9L)), 9, 7),
        "law 3: source run 9 is not in the shape");
    refuses(
        TWO_LEVELS,
        merge(Target.newest(1, Set.of(1L)), 9, 8),
        "law 3: run 2 is no source but stands between the sources and their target");
    refuses(
        TWO_LEVELS,
        merge(Target.newest(1, Set.of(1L, 2L, 4L)), 9, 7),
        "law 3: run 3 is no source but stands between the sources and their target");
    allows(TWO_LEVELS, move(Target.newest(1, Set.of(1L, 2L, 4L)), 8));
  }

  @Test
  void law4RefusesToMoveOntoOtherSlices() {
    refuses(
        TWO_LEVELS,
        move(Target.join(1, 3), 7),
        "law 4: slice 5 of the target run lies where the plan would put its slices");
    String disjoint = "shape free\n  L0 run t1[a..c] 8M\n run t2[b..d] 8M\n";
    refuses(disjoint, move(Target.newest(1), 1, 2), "law 4: slice 2 overlaps another moved slice");
    allows(TWO_LEVELS, move(Target.join(1, 3), 8, 6));
  }

  @Test
  void law8RefusesToMergeOverWhatTheRunKeeps() {
    refuses(
        TWO_LEVELS,
        merge(Target.join(1, 3), 9, 7),
        "law 8: slice 5 of the target run lies where the plan would put its slices");
    // The outputs may lie anywhere between d and s, so also over k..m.
    String gap = "shape adjacent\n  L0 run t9[a..d] 8M t8[s..t] 8M\n  L1 run t4[k..m] 8M\n";
    refuses(
        gap,
        merge(Target.join(1, 2), 9, 8),
        "law 8: slice 4 of the target run lies where the plan would put its slices");
    allows(gap, move(Target.join(1, 2), 9, 8));
    allows(gap, merge(Target.join(1, 2), 9, 8, 4));
  }

  @Test
  void law8RefusesTargetsThatDoNotExist() {
    allows(TWO_LEVELS, merge(Target.newest(2), 3));
    refuses(
        TWO_LEVELS,
        merge(Target.newest(3), 3),
        "law 8: level 3 is more than one below the deepest, 1");
    refuses(TWO_LEVELS, merge(Target.join(1, 1), 9, 7), "law 8: run 1 is not in level 1");
    String deep = "shape adjacent\n  L8 run t1[a] 8M\n";
    refuses(
        deep,
        move(Target.newest(9), 1),
        "law 8: level 9 is below the deepest that can be stored, 8");
  }

  @Test
  void outputsOfPlansUnderWayAreNotMetNorPassed() {
    String shape =
        """
        shape adjacent
          L0  run t9[a..b] 8M   t8[h..i] 8M claimed  t1[p..q] 8M
          L1  run T t4[x..z] 8M
              run t3[g..g] 8M
          job L1 T [g..j]
        """;
    allows(shape, merge(Target.join(1, 2), 9));
    allows(shape, move(Target.join(1, 2), 9, 1));
    allows(shape, move(Target.newest(2), 3));
    refuses(
        shape,
        merge(Target.join(1, 2), 9, 1),
        "law 8: slices [9, 1] would meet the outputs of a plan under way");
    refuses(
        shape,
        move(Target.newest(1), 3),
        "law 4: slices [3] would meet the outputs of a plan under way");
  }

  @Test
  void law7KeepsTheBudget() {
    Plan merge = merge(Target.newest(1), 9, 7);
    Shape shape = shape(TWO_LEVELS);
    long bytes = 16L << 20;
    assertThat(PlanCheck.fault(shape, merge, new Budget(1, bytes), MAX_LEVEL)).isEmpty();
    assertThat(PlanCheck.fault(shape, merge, new Budget(1, bytes - 1), MAX_LEVEL))
        .contains("law 7: the merge may fill the disk by 16777216 bytes, allowed are 16777215");
    assertThat(PlanCheck.fault(shape, merge, new Budget(0, bytes), MAX_LEVEL))
        .contains("law 7: no slot is free for a merge");
    assertThat(PlanCheck.fault(shape, move(Target.newest(1), 8), new Budget(0, 0), MAX_LEVEL))
        .isEmpty();
  }

  @Test
  void aMergeThatForecastsNothingIsChargedAllItsInputs() {
    Plan silent = new Plan.Merge(List.of(9L, 8L, 7L, 6L), Target.newest(1), 1, REASON);
    Shape shape = shape(TWO_LEVELS);
    long bytes = 32L << 20;
    assertThat(PlanCheck.fault(shape, silent, new Budget(1, bytes), MAX_LEVEL)).isEmpty();
    assertThat(PlanCheck.fault(shape, silent, new Budget(1, bytes - 1), MAX_LEVEL))
        .contains("law 7: the merge may fill the disk by 33554432 bytes, allowed are 33554431");
  }

  @Test
  void checkThrowsWithLawAndPlan() {
    Plan plan = merge(Target.newest(1), 99);
    assertThatThrownBy(
            () -> PlanCheck.check(shape(TWO_LEVELS), plan, Budget.unlimited(), MAX_LEVEL))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("law 2: slice 99 is not in the shape; refused: " + plan);
  }

  @Test
  void aPlanHasAWholeReason() {
    PlanCost free = PlanCost.FREE_OF_COST;
    assertThatThrownBy(() -> new Reason(null, Map.of(), "test", List.of(), free))
        .isInstanceOf(NullPointerException.class)
        .hasMessage("code");
    assertThatThrownBy(() -> new Reason("test", Map.of(), null, List.of(), free))
        .isInstanceOf(NullPointerException.class)
        .hasMessage("sentence");
    assertThatThrownBy(() -> new Reason("test", Map.of(), "test", List.of(), null))
        .isInstanceOf(NullPointerException.class)
        .hasMessage("cost");
    assertThatThrownBy(() -> new Plan.Move(List.of(9L), Target.newest(1), null))
        .isInstanceOf(NullPointerException.class)
        .hasMessage("reason");
  }

  private static void allows(String drawn, Plan plan) {
    assertThat(PlanCheck.fault(shape(drawn), plan, Budget.unlimited(), MAX_LEVEL)).isEmpty();
  }

  private static void refuses(String drawn, Plan plan, String fault) {
    assertThat(PlanCheck.fault(shape(drawn), plan, Budget.unlimited(), MAX_LEVEL)).contains(fault);
  }

  private static Shape shape(String drawn) {
    Script script = Script.parse(drawn + "plan leveled\n");
    return PureHost.shape(script.cases().get(0).tree());
  }

  private static Plan merge(Target target, long... slices) {
    return new Plan.Merge(boxed(slices), target, 0, REASON);
  }

  private static Plan move(Target target, long... slices) {
    return new Plan.Move(boxed(slices), target, REASON);
  }

  private static List<Long> boxed(long... slices) {
    return Arrays.stream(slices).boxed().toList();
  }
}
