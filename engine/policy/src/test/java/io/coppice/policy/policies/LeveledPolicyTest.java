// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.policy.policies;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.coppice.policy.Budget;
import io.coppice.policy.LevelFacts;
import io.coppice.policy.MergeRule;
import io.coppice.policy.Plan;
import io.coppice.policy.Policy;
import io.coppice.policy.RunFacts;
import io.coppice.policy.SegmentFacts;
import io.coppice.policy.Shape;
import io.coppice.policy.ShapeStore;
import io.coppice.policy.SliceFacts;
import io.coppice.policy.Workload;
import io.coppice.policy.check.PlanCheck;
import io.coppice.policy.spec.PolicySpec;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Checks the costs of leveled against the published simulations. */
class LeveledPolicyTest {

  // As in dCompaction: memtable 4 MB, table 2 MB, level 1 10 MB; an entry is 1/40 of a table.
  private static final int TABLE = 40;
  private static final int FLUSH = 80;
  private static final int FLUSHES = Integer.getInteger("flushes", 320);

  @Test
  void uniformLoadCostsWhatTheTheorySays() {
    ShapeStore store =
        Workload.run("leveled", MergeRule.ADJACENT, TABLE, FLUSHES, Workload.uniform(FLUSH));
    double simulated = 13.0 + 6.3 * Math.log10(FLUSHES / 976.0);
    assertThat(store.writeAmplification()).isCloseTo(simulated, within(0.5));
  }

  @ParameterizedTest
  @EnumSource(MergeRule.class)
  void everyLevelKeepsToItsTarget(MergeRule rule) {
    ShapeStore store = Workload.run("leveled,fanout=4", rule, TABLE, 200, Workload.uniform(FLUSH));
    long target = 5L * TABLE * Workload.ENTRY_BYTES;
    Shape shape = store.shape();
    for (int level = 1; level < shape.levels().size(); level++) {
      assertThat(shape.levels().get(level).runs().size()).isEqualTo(1);
      assertThat(shape.levels().get(level).bytes()).isLessThanOrEqualTo(target);
      target *= 4;
    }
    assertThat(shape.levels().size()).isEqualTo(5);
    assertThat(shape.levels().get(0).runs().size()).isLessThan(4);
  }

  @ParameterizedTest
  @EnumSource(MergeRule.class)
  void sequentialLoadIsOnlyMoved(MergeRule rule) {
    ShapeStore store = Workload.run("leveled", rule, TABLE, 200, Workload.sequential(FLUSH));
    assertThat(store.writeAmplification()).isEqualTo(1.0);
  }

  @Test
  void tinyTablesThatLieApartDoNotPileUpUnderFree() {
    ShapeStore store = Workload.run("leveled", MergeRule.FREE, 64, 1024, Workload.sequential(1));
    assertThat(store.slices()).isLessThan(2 * 1024 / 64 + 4);
    assertThat(store.writeAmplification()).isLessThan(1 + Math.log(64) / Math.log(2));
  }

  @Test
  void whatIsEstimatedToHoldNothingIsInTheWayAllTheSame() {
    SliceFacts above = SliceFacts.whole(1, 0, 10, 1 << 20, 10);
    SliceFacts empty = SliceFacts.whole(2, 5, 5, 0, 0);
    Shape shape =
        new Shape(
            MergeRule.ADJACENT,
            List.of(
                new LevelFacts(List.of()),
                new LevelFacts(List.of(new RunFacts(1, List.of(SegmentFacts.of(above)), Set.of()))),
                new LevelFacts(
                    List.of(new RunFacts(2, List.of(SegmentFacts.of(empty)), Set.of())))),
            List.of(),
            Set.of());
    Budget budget = new Budget(1, Long.MAX_VALUE);
    Policy leveled = PolicySpec.parse("leveled,base_size=64KiB,table_size=4KiB").policy();
    Plan plan = leveled.next(shape, budget).orElseThrow();

    assertThat(plan).isInstanceOf(Plan.Merge.class);
    PlanCheck.check(shape, plan, budget, 62);
  }

  @Test
  void oneFlushAloneIsMergedForWantOfSpaceButNotForWantOfAnAllowance() {
    long mib = 1 << 20;
    List<RunFacts> flushes = new ArrayList<>();
    for (int table = 5; table > 1; table--) {
      flushes.add(run(SliceFacts.whole(table, 0, 10, mib, 10)));
    }
    Shape shape =
        new Shape(
            MergeRule.ADJACENT,
            List.of(
                new LevelFacts(flushes),
                new LevelFacts(List.of(run(SliceFacts.whole(1, 0, 10, 3 * mib, 10))))),
            List.of(),
            Set.of());
    Policy leveled = PolicySpec.parse("leveled,base_size=64MiB,table_size=4MiB").policy();
    // All of them take seven, two of them five, one alone four.
    assertThat(leveled.next(shape, new Budget(1, 9 * mib / 2))).isPresent();
    assertThat(leveled.next(shape, new Budget(1, 64 * mib, 9 * mib / 2))).isEmpty();
  }

  private static RunFacts run(SliceFacts table) {
    return new RunFacts(table.table(), List.of(SegmentFacts.of(table)), Set.of());
  }
}
