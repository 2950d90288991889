// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.policy.policies;

import static org.assertj.core.api.Assertions.assertThat;

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
import io.coppice.policy.spec.PolicyLimits;
import io.coppice.policy.spec.PolicySpec;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What delaying saves and what it costs, beside leveled. */
class DelayedPolicyTest {

  private static final int TABLE = 20;
  private static final int FLUSH = 40;
  private static final int FLUSHES = 100;

  private static ShapeStore unique(String policy, MergeRule rule) {
    return Workload.run(policy, rule, TABLE, FLUSHES, Workload.uniform(FLUSH));
  }

  @ParameterizedTest
  @EnumSource(MergeRule.class)
  void putsOffAboutHalfOfWhatLeveledMerges(MergeRule rule) {
    double leveled = unique("leveled", rule).mergedBytes();
    String any = "delayed,max_overlap_ratio=0";
    assertThat(unique(any, rule).mergedBytes() / leveled).isBetween(0.25, 0.55);
    // Whole tables count those of level 0 too: with fewer than 6 they merge no less than leveled.
    String few = rule == MergeRule.FREE ? ",vct=6" : ",vct=4";
    assertThat(unique(any + few, rule).mergedBytes() / leveled).isBetween(0.6, 1.0);
    // What lies over the largest run is taken to hide something in it, though here nothing does.
    assertThat(unique("delayed", rule).mergedBytes() / leveled).isBetween(0.25, 0.8);
  }

  @ParameterizedTest
  @ValueSource(ints = {4, 6, 12, 20})
  void noMoreTablesThanTheThresholdLieOverAKeyWhereTheyAreWhole(int vct) {
    ShapeStore store = unique("delayed,vct=" + vct, MergeRule.FREE);
    for (int key : Workload.uniform(2000).apply(0)) {
      assertThat(store.slicesOver(key)).isLessThanOrEqualTo(vct);
    }
    assertThat(store.delays()).isPositive();
  }

  @ParameterizedTest
  @ValueSource(strings = {"0.25", "1"})
  void noMoreLiesOverTheLargestRunThanAllowedWhereTablesAreWhole(String ratio) {
    Shape shape = unique("delayed,max_overlap_ratio=" + ratio, MergeRule.FREE).shape();
    RunFacts largest = null;
    long deep = 0;
    for (LevelFacts level : shape.levels().subList(1, shape.levels().size())) {
      for (RunFacts run : level.runs()) {
        deep += run.bytes();
        largest = largest == null || run.bytes() > largest.bytes() ? run : largest;
      }
    }
    double allowed = Double.parseDouble(ratio) * largest.bytes();
    double levelOne = 5 * TABLE * Workload.ENTRY_BYTES;
    assertThat((double) deep - largest.bytes()).isLessThanOrEqualTo(Math.max(levelOne, allowed));
  }

  @ParameterizedTest
  @CsvSource({"0, ADJACENT", "1, ADJACENT", "0, FREE", "1, FREE"})
  void isLeveledWhereNothingIsPutOff(int vct, MergeRule rule) {
    ShapeStore leveled = unique("leveled", rule);
    ShapeStore delayed = unique("delayed,vct=" + vct, rule);
    assertThat(delayed.delays()).isZero();
    assertThat(delayed.shape()).isEqualTo(leveled.shape());
  }

  @ParameterizedTest
  @EnumSource(MergeRule.class)
  void sequentialLoadIsOnlyMoved(MergeRule rule) {
    ShapeStore store = Workload.run("delayed", rule, TABLE, 100, Workload.sequential(FLUSH));
    assertThat(store.writeAmplification()).isEqualTo(1.0);
    assertThat(store.delays()).isZero();
  }

  @Test
  void noSegmentListsAsManyTablesAsTheThreshold() {
    Shape shape = unique("delayed,vct=6", MergeRule.ADJACENT).shape();
    int most = 0;
    for (LevelFacts level : shape.levels()) {
      for (RunFacts run : level.runs()) {
        for (SegmentFacts segment : run.segments()) {
          long tables = segment.slices().stream().map(SliceFacts::table).distinct().count();
          assertThat(tables).isLessThanOrEqualTo(Math.max(1, segment.parents()));
          most = Math.max(most, segment.parents());
        }
      }
    }
    assertThat(most).isEqualTo(5);
  }

  @Test
  void noMoreIsPinnedThanAllowed() {
    for (double ratio : new double[] {0, 0.25}) {
      ShapeStore store = unique("delayed,max_pinned_ratio=" + ratio, MergeRule.ADJACENT);
      double inUse = store.shape().bytes();
      assertThat(store.diskBytes()).isLessThanOrEqualTo((long) (inUse * (1 + ratio)));
    }
  }

  @ParameterizedTest
  @EnumSource(MergeRule.class)
  void readsLeaveFewTablesInTheirWay(MergeRule rule) {
    int vsmt = 3;
    Policy policy =
        PolicySpec.parse(
                "delayed,vsmt=" + vsmt,
                new PolicyLimits(TABLE * Workload.ENTRY_BYTES, 1, 1L << 40, 30, false))
            .policy();
    ShapeStore store =
        Workload.run("delayed,vsmt=" + vsmt, rule, TABLE, 60, Workload.uniform(FLUSH));
    int[] keys = Workload.uniform(200).apply(0);
    double before = over(store, keys);
    for (int round = 0; round < 10; round++) {
      for (int key : keys) {
        store.read(key, policy.mergeOnRead());
      }
      for (Optional<Plan> plan = policy.next(store.shape(), Budget.unlimited());
          plan.isPresent();
          plan = policy.next(store.shape(), Budget.unlimited())) {
        store.apply(plan.get());
      }
    }
    assertThat(over(store, keys)).isLessThan(before);
    long merges = store.merges();
    for (int key : keys) {
      store.read(key, policy.mergeOnRead());
    }
    assertThat(policy.next(store.shape(), Budget.unlimited())).isEmpty();
    assertThat(store.merges()).isEqualTo(merges);
  }

  private static double over(ShapeStore store, int[] keys) {
    long over = 0;
    for (int key : keys) {
      over += store.slicesOver(key);
    }
    return (double) over / keys.length;
  }
}
