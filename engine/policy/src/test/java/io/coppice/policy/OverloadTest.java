// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.policy;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Optional;
import java.util.function.IntFunction;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Writers that never rest: a memtable is flushed as soon as level 0 has room for one more run. */
class OverloadTest {

  private static final int TABLE = 40;
  private static final int FLUSH = 80;
  private static final int FLUSHES = Integer.getInteger("flushes", 640);

  private static final long TABLE_BYTES = (long) TABLE * Workload.ENTRY_BYTES;

  /** Where writers are held back, and beyond. */
  private static final int MAX_RUNS = 24;

  /** What all of level 0 adds to a level that was as full as it, of the target of level 1. */
  private static final double MAX_FULL = 2.0 * MAX_RUNS * FLUSH / (5 * TABLE);

  static Stream<Arguments> policies() {
    return Stream.of("leveled", "delayed")
        .flatMap(text -> Stream.of(MergeRule.values()).map(rule -> Arguments.of(text, rule)));
  }

  /**
   * If level 0, which always wants a merge then, always came first, level 1 would grow without end,
   * and each of those merges would rewrite it.
   */
  @ParameterizedTest
  @MethodSource("policies")
  void noLevelStarves(String text, MergeRule rule) {
    ShapeStore rested = Workload.run(text, rule, TABLE, FLUSHES, Workload.uniform(FLUSH));
    Policy policy = Workload.policy(text, TABLE);
    ShapeStore driven = drive(policy, rule, Workload.uniform(FLUSH));
    levelsKeepTo(MAX_FULL, driven.shape());
    Workload.settle(policy, driven);
    assertThat(driven.writeAmplification()).isLessThan(rested.writeAmplification());
  }

  private static ShapeStore drive(Policy policy, MergeRule rule, IntFunction<int[]> keys) {
    ShapeStore store = new ShapeStore(rule, TABLE_BYTES, Workload.ENTRY_BYTES);
    int flushed = 0;
    while (flushed < FLUSHES) {
      Shape shape = store.shape();
      if (shape.levels().isEmpty() || shape.levels().get(0).runs().size() < MAX_RUNS) {
        store.flush(keys.apply(flushed));
        flushed++;
      } else {
        Optional<Plan> plan = policy.next(shape, Budget.unlimited());
        store.apply(plan.orElseThrow());
      }
    }
    return store;
  }

  private static void levelsKeepTo(double most, Shape shape) {
    long target = 5 * TABLE_BYTES;
    for (int level = 1; level < shape.levels().size(); level++) {
      assertThat((double) shape.levels().get(level).bytes() / target)
          .as("level %d over its target", level)
          .isLessThanOrEqualTo(most);
      target *= 10;
    }
  }
}
