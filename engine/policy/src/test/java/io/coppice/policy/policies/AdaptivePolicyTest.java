// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.policy.policies;

import static org.assertj.core.api.Assertions.assertThat;

import io.coppice.policy.Budget;
import io.coppice.policy.LevelFacts;
import io.coppice.policy.MergeRule;
import io.coppice.policy.Plan;
import io.coppice.policy.Policy;
import io.coppice.policy.Shape;
import io.coppice.policy.ShapeLaws;
import io.coppice.policy.ShapeStore;
import io.coppice.policy.SliceFacts;
import io.coppice.policy.Workload;
import io.coppice.policy.check.PlanCheck;
import io.coppice.policy.spec.AdaptiveRung;
import io.coppice.policy.spec.PolicyLimits;
import io.coppice.policy.spec.PolicySpec;
import io.coppice.policy.tuner.CostModel;
import io.coppice.policy.tuner.Load;
import io.coppice.policy.tuner.RewriteAllowance;
import io.coppice.policy.tuner.RewriteBudget;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.function.IntFunction;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** What a rung does in a store that was another's until now. */
class AdaptivePolicyTest {

  private static final int ENTRIES_PER_TABLE = 5;
  private static final int ENTRIES_PER_FLUSH = 10;
  private static final int FLUSHES = 60;
  private static final PolicyLimits LIMITS =
      new PolicyLimits((long) ENTRIES_PER_TABLE * Workload.ENTRY_BYTES, 1, 1L << 40, 30, false);

  private final ShapeStore store =
      new ShapeStore(MergeRule.ADJACENT, LIMITS.defaultTableBytes(), Workload.ENTRY_BYTES);
  private final IntFunction<int[]> keys = Workload.uniform(ENTRIES_PER_FLUSH);
  private Policy policy;
  private final RewriteBudget budget = new RewriteBudget(store::flushedBytes);
  private int maxFlushes;

  static Stream<Arguments> switches() {
    List<Arguments> pairs = new ArrayList<>();
    int rungs = AdaptiveRung.LADDER.size();
    IntStream.range(0, rungs * rungs)
        .filter(pair -> pair / rungs != pair % rungs)
        .forEach(pair -> pairs.add(Arguments.of(pair / rungs, pair % rungs)));
    return pairs.stream();
  }

  private static PolicySpec rung(int rung) {
    return PolicySpec.parse("adaptive,rung=" + rung, LIMITS);
  }

  private void live(int flushes) {
    for (int flush = 0; flush < flushes; flush++) {
      store.flush(keys.apply(flush));
      settle();
      maxFlushes = Math.max(maxFlushes, (int) runs(store.shape().levels().get(0)));
    }
  }

  private static long runs(LevelFacts level) {
    return level.runs().stream().filter(run -> !run.segments().isEmpty()).count();
  }

  private Budget budget() {
    return new Budget(1, Long.MAX_VALUE, budget.remaining());
  }

  private void settle() {
    Shape shape = store.shape();
    for (Optional<Plan> plan = policy.next(shape, budget());
        plan.isPresent();
        plan = policy.next(shape, budget())) {
      PlanCheck.check(shape, plan.get(), budget(), LIMITS.maxLevel());
      if (plan.get() instanceof Plan.Merge) {
        budget.charge(plan.get().reason().cost().readBytes());
      }
      store.apply(plan.get());
      shape = store.shape();
    }
  }

  private void begin(int rung, double paid) {
    policy = rung(rung).policy();
    allow(store.diskBytes() / 2, paid);
  }

  private void allow(long bytes, double paid) {
    budget.allow(new RewriteAllowance(bytes, paid, store.flushedBytes(), budget.begunBytes()));
  }

  @ParameterizedTest
  @MethodSource("switches")
  void aSwitchSpendsNoMoreThanHalfOfTheStore(int from, int to) {
    policy = rung(from).policy();
    live(FLUSHES);
    final long before = budget.begunBytes();
    final long allowed = store.diskBytes() / 2;
    begin(to, 0);
    settle();
    assertThat(budget.begunBytes() - before).isLessThanOrEqualTo(allowed);
  }

  @ParameterizedTest
  @MethodSource("switches")
  void writesAreNotHeldUpByWhatASwitchMaySpend(int from, int to) {
    policy = rung(from).policy();
    live(FLUSHES);
    begin(to, 0);
    allow(0, 0);
    maxFlushes = 0;
    live(FLUSHES / 3);
    assertThat(maxFlushes).isLessThanOrEqualTo((int) rung(to).toleratedRuns());
    assertThat(store.wrongKeys()).isEmpty();
  }

  @ParameterizedTest
  @MethodSource("switches")
  void aSwitchDelaysNoRemovalOfEndedValues(int from, int to) {
    policy = rung(from).policy();
    live(FLUSHES);
    begin(to, 0);
    allow(0, 0);
    settle();
    store.endSome(new Random(31L * from + to), 2);
    settle();
    assertThat(ShapeLaws.slices(store.shape())).noneMatch(SliceFacts::mostlyEnded);
  }

  @Test
  void whatFlushesEarnPaysForAllThatTheRungWants() {
    Load load = new Load(60, 1, 1, 0, 0, 0, 0, 0, 1, 0, 1, 1, FLUSHES, 0);
    for (int to = 0; to < AdaptiveRung.LADDER.size(); to++) {
      AdaptivePolicyTest limited = new AdaptivePolicyTest();
      limited.policy = rung(4).policy();
      limited.live(FLUSHES);
      AdaptivePolicyTest free = new AdaptivePolicyTest();
      free.policy = rung(4).policy();
      free.live(FLUSHES);
      limited.begin(to, CostModel.mergesPaid(load, AdaptiveRung.LADDER.get(to)));
      free.policy = rung(to).policy();
      limited.live(2 * FLUSHES);
      free.live(2 * FLUSHES);
      // It may lag behind by what it had to put off, and not more and more.
      long runs = limited.store.shape().nonEmptyRunCount();
      assertThat(runs)
          .as("rung " + to)
          .isLessThanOrEqualTo(2L * free.store.shape().nonEmptyRunCount());
    }
  }

  @Test
  void onlyWhatIsWantedAndNotPaidForIsLeftUndone() {
    policy = rung(6).policy();
    live(FLUSHES);
    policy = rung(0).policy();
    assertThat(budget.isExhaustedFor(policy, store.shape())).as("no limit").isFalse();
    allow(store.diskBytes(), 0);
    assertThat(budget.isExhaustedFor(policy, store.shape())).as("enough").isFalse();
    allow(0, 0);
    settle();
    assertThat(policy.backlog(store.shape()).plans()).isPositive();
    assertThat(budget.isExhaustedFor(policy, store.shape())).as("nothing").isTrue();
    budget.allow(RewriteAllowance.ANY);
    settle();
    allow(0, 0);
    assertThat(policy.backlog(store.shape()).plans()).isZero();
    assertThat(budget.isExhaustedFor(policy, store.shape())).as("none wanted").isFalse();
  }

  @Test
  void majorsAndWhatIsNamedAreNotLimited() {
    policy = rung(6).policy();
    live(FLUSHES);
    policy = rung(0).policy();
    Budget none = new Budget(1, Long.MAX_VALUE, 0);
    Shape shape = store.shape();
    assertThat(policy.everything(shape, none))
        .isPresent()
        .isEqualTo(policy.everything(shape, Budget.unlimited()));
  }

  @Test
  void withoutALimitItIsThePolicyOfTheRung() {
    for (AdaptiveRung rung : AdaptiveRung.LADDER) {
      policy = PolicySpec.parse(rung.text(), LIMITS).policy();
      Policy adaptive = rung(AdaptiveRung.LADDER.indexOf(rung)).policy();
      for (int flush = 0; flush < 30; flush++) {
        store.flush(keys.apply(flush));
        Shape shape = store.shape();
        assertThat(adaptive.next(shape, Budget.unlimited()))
            .isEqualTo(policy.next(shape, Budget.unlimited()));
        assertThat(adaptive.backlog(shape)).isEqualTo(policy.backlog(shape));
        settle();
      }
    }
  }
}
