// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.policy.policies;

import static org.assertj.core.api.Assertions.assertThat;

import io.coppice.policy.Backlog;
import io.coppice.policy.Budget;
import io.coppice.policy.LevelFacts;
import io.coppice.policy.MergeRule;
import io.coppice.policy.Plan;
import io.coppice.policy.PlanCost;
import io.coppice.policy.Policy;
import io.coppice.policy.PolicyTrial;
import io.coppice.policy.PureHost;
import io.coppice.policy.RunFacts;
import io.coppice.policy.Shape;
import io.coppice.policy.ShapeStore;
import io.coppice.policy.ShardBounds;
import io.coppice.policy.Workload;
import io.coppice.policy.check.PlanCheck;
import io.coppice.policy.spec.AdaptiveRung;
import io.coppice.policy.spec.PolicyLimits;
import io.coppice.policy.spec.PolicyOption;
import io.coppice.policy.spec.PolicySpec;
import io.coppice.policy.spec.Script;
import io.coppice.testing.Seeds;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.function.IntFunction;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Rungs of their own for ranges of keys. */
class ShardedPolicyTest {

  private static final int KEYS = 4000;
  private static final int ENTRIES_PER_TABLE = 5;
  private static final int ENTRIES_PER_FLUSH = 20;
  private static final PolicyLimits LIMITS =
      new PolicyLimits((long) ENTRIES_PER_TABLE * Workload.ENTRY_BYTES, 1, 1L << 40, 30, false);

  private final ShapeStore store =
      new ShapeStore(MergeRule.ADJACENT, LIMITS.defaultTableBytes(), Workload.ENTRY_BYTES);
  private int cuts;

  private static Policy policy(String options) {
    return PolicySpec.parse("adaptive," + options, LIMITS).policy();
  }

  /** Nine of ten keys in the lower half. */
  private static IntFunction<int[]> skewed(long seed) {
    Random random = new Random(seed);
    return flush ->
        IntStream.range(0, ENTRIES_PER_FLUSH)
            .map(
                i ->
                    random.nextInt(10) > 0
                        ? random.nextInt(KEYS / 2)
                        : KEYS / 2 + random.nextInt(KEYS / 2))
            .toArray();
  }

  private void live(Policy policy, int flushes, IntFunction<int[]> keys) {
    for (int flush = 0; flush < flushes; flush++) {
      store.flush(keys.apply(flush));
      settle(policy);
    }
    assertThat(store.wrongKeys()).isEmpty();
  }

  private void settle(Policy policy) {
    Shape shape = store.shape();
    for (Optional<Plan> plan = policy.next(shape, Budget.unlimited());
        plan.isPresent();
        plan = policy.next(shape, Budget.unlimited())) {
      PlanCheck.check(shape, plan.get(), Budget.unlimited(), LIMITS.maxLevel());
      cuts += plan.get() instanceof Plan.Delay delay && delay.stays() ? 1 : 0;
      store.apply(plan.get());
      shape = store.shape();
    }
    assertThat(policy.backlog(shape)).isEqualTo(Backlog.NONE);
  }

  /** Runs over a key, on average over some keys. */
  private static double runs(Shape shape, int from, int to) {
    int runs = 0;
    for (int key = from; key < to; key++) {
      for (LevelFacts level : shape.levels()) {
        for (RunFacts run : level.runs()) {
          runs += run.overlapping(key, key).isEmpty() ? 0 : 1;
        }
      }
    }
    return (double) runs / (to - from);
  }

  @Test
  void eachRangeTakesTheFormOfItsRung() {
    live(policy("rung=6"), 300, skewed(1));
    live(policy("shards=60"), 300, skewed(2));
    Shape shape = store.shape();
    int end = ShardBounds.ends(shape, 2)[0];
    assertThat(cuts).as("cuts").isPositive();
    assertThat(runs(shape, end + 1, KEYS)).as("reads").isLessThan(4);
    assertThat(runs(shape, 0, end)).as("writes").isGreaterThan(5);
  }

  @Test
  void nothingReachesAcrossAnEndAtRest() {
    live(policy("shards=606"), 300, skewed(1));
    Shape shape = store.shape();
    for (int end : ShardBounds.ends(shape, 3)) {
      assertThat(end).isLessThan(Integer.MAX_VALUE);
      for (LevelFacts level : shape.levels()) {
        for (RunFacts run : level.runs()) {
          assertThat(run.overlapping(end, end + 1))
              .allMatch(segment -> segment.high() <= end || segment.low() > end);
        }
      }
    }
  }

  /** A half at rest keeps no run of the other; not even one that began in both. */
  @ParameterizedTest
  @ValueSource(strings = {"60", "3053"})
  void emptyRunsDoNotPileUp(String shards) {
    live(policy("rung=" + shards.charAt(0)), 100, skewed(1));
    Policy policy = policy("shards=" + shards);
    for (int half = 0; half < 2; half++) {
      int from = half * KEYS / 2;
      Random random = new Random(half);
      for (int flush = 0; flush < 150; flush++) {
        store.flush(
            IntStream.range(0, ENTRIES_PER_FLUSH)
                .map(i -> from + random.nextInt(KEYS / 2))
                .toArray());
        settle(policy);
        assertThat(empty(store.shape())).as("after %s flushes", flush).isLessThan(5);
      }
    }
    assertThat(store.wrongKeys()).isEmpty();
  }

  /** What a merge has passed stays on disk as long as another range shows the same table. */
  @Test
  void tablesOfSeveralRangesAreNotFreedStepByStep() {
    String drawn =
        """
        shape adjacent
          L1  run t21.1[a..m] 24M of 48M  t21.2[n..z] 24M of 48M
          L2  run t11.1[a..f] 40M of 80M  t12.1[g..m] 40M of 80M\
          t11.2[n..s] 40M of 80M  t12.2[t..z] 40M of 80M
        plan leveled
        """;
    Shape shape = PureHost.shape(Script.parse(drawn).cases().get(0).tree());
    Policy policy = PolicySpec.parse("adaptive,shards=60", PolicyLimits.ENGINE).policy();
    long bytes = 104 << 20;
    Plan plan = policy.next(shape, Budget.unlimited()).orElseThrow();
    assertThat(plan.reason().cost()).isEqualTo(new PlanCost(bytes, bytes, bytes));
    assertThat(policy.next(shape, new Budget(1, bytes - 1))).isEmpty();
  }

  private static int empty(Shape shape) {
    int runs = 0;
    for (LevelFacts level : shape.levels()) {
      runs += level.runs().size();
    }
    return runs - shape.nonEmptyRunCount();
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3})
  void anEndThatWasCutOnceIsFoundAgain(long seed) {
    Policy policy = policy("shards=60");
    live(policy, 400, skewed(seed));
    final int before = cuts;
    int moved = 0;
    int end = ShardBounds.ends(store.shape(), 2)[0];
    IntFunction<int[]> keys = skewed(-seed);
    for (int flush = 0; flush < 400; flush++) {
      store.flush(keys.apply(flush));
      settle(policy);
      int next = ShardBounds.ends(store.shape(), 2)[0];
      moved += Math.abs(next - end) > KEYS / 50 ? 1 : 0;
      end = next;
    }
    assertThat(moved).as("seed %s: moved", seed).isLessThan(400 / 10);
    // A flush is cut once, and little besides.
    assertThat(cuts - before).as("seed %s: cuts", seed).isLessThan(2 * 400);
  }

  /** From any shape, and turned while merges are under way. */
  @Test
  void anyRungsKeepTheLaws() {
    for (long seed : Seeds.many(Integer.getInteger("seeds", 6)).toArray()) {
      Random random = new Random(seed);
      for (MergeRule rule : MergeRule.values()) {
        PolicyTrial trial = new PolicyTrial(PolicyTrial.policy(drawn(random)), rule, seed);
        if (seed % 2 == 0) {
          trial.wild();
        }
        for (int turn = 0; turn < 4; turn++) {
          trial.live(40).with(PolicyTrial.policy(drawn(random)));
        }
        trial.rest();
      }
    }
  }

  private static String drawn(Random random) {
    StringBuilder text = new StringBuilder("adaptive,shards=");
    for (int shard = random.nextInt(8); shard >= 0; shard--) {
      text.append(random.nextInt(AdaptiveRung.LADDER.size()));
    }
    return text.toString();
  }

  @Test
  void equalRungsPlanAsOne() {
    for (int rung = 0; rung < AdaptiveRung.LADDER.size(); rung++) {
      Policy one = policy("rung=" + rung);
      Policy many = policy("rung=1,shards=" + ("" + rung).repeat(4));
      IntFunction<int[]> keys = skewed(rung);
      for (int flush = 0; flush < 60; flush++) {
        store.flush(keys.apply(flush));
        Shape shape = store.shape();
        assertThat(many.next(shape, Budget.unlimited()))
            .isEqualTo(one.next(shape, Budget.unlimited()));
        assertThat(many.backlog(shape)).isEqualTo(one.backlog(shape));
        settle(one);
      }
    }
  }

  @Test
  void equalBytesLieBetweenTheEnds() {
    for (int run = 0; run < 4; run++) {
      store.place(1, IntStream.range(0, KEYS).toArray());
    }
    Shape shape = store.shape();
    assertThat(ShardBounds.ends(shape, 4)).hasSize(3);
    int[] ends = ShardBounds.ends(shape, 4);
    for (int i = 0; i < ends.length; i++) {
      assertThat((double) ends[i]).isBetween((i + .7) * KEYS / 4, (i + 1.3) * KEYS / 4);
    }
    assertThat(ShardBounds.ends(shape, 1)).isEmpty();
    assertThat(
            ShardBounds.ends(
                new Shape(MergeRule.ADJACENT, List.of(new LevelFacts(List.of())), List.of()), 3))
        .containsOnly(Integer.MAX_VALUE);
  }

  @Test
  void aRangeKeepsFlushesOfItsOwn() {
    assertThat(PolicySpec.parse("adaptive,shards=4444").toleratedRuns())
        .isEqualTo(PolicySpec.parse("adaptive").toleratedRuns());
    assertThat(PolicySpec.parse("adaptive,shards=4040").toleratedRuns())
        .isEqualTo(4 * PolicySpec.parse("adaptive").toleratedRuns());
  }

  @Test
  void theTextKeepsLeadingZeros() {
    PolicySpec spec = PolicySpec.parse("adaptive,shards=0036");
    assertThat(spec.texts()).containsEntry("shards", "0036");
    assertThat(PolicySpec.parse(spec.toString())).isEqualTo(spec);
    assertThat(AdaptiveRung.ofShards(4, spec.value("shards"))).containsExactly(0, 0, 3, 6);
    assertThat(PolicySpec.parse("adaptive").texts()).containsEntry("shards", "none");
    assertThat(Arrays.stream(AdaptiveRung.ofShards(4, PolicyOption.NO_RUNGS))).containsExactly(4);
  }
}
