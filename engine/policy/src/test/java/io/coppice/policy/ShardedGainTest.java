// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.policy;

import static org.assertj.core.api.Assertions.assertThat;

import io.coppice.policy.check.PlanCheck;
import io.coppice.policy.spec.PolicyLimits;
import io.coppice.policy.spec.PolicySpec;
import io.coppice.testing.GeneratedPage;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/**
 * What rungs of their own are for: nine of ten writes go to the lower half of the keys, and nine of
 * ten lookups to the upper one.
 */
class ShardedGainTest {

  private static final Path PAGE = Path.of("..", "..", "docs", "policies", "adaptive.md");
  private static final int HALF = 1 << 15;
  private static final int ENTRIES_PER_TABLE = 128;
  private static final int ENTRIES_PER_FLUSH = 256;
  private static final int FLUSHES = 1500;

  /**
   * What a policy costs.
   *
   * @param amplification bytes flushed and merged for each byte flushed
   * @param runs over a key that is looked up
   * @param moved bytes that came to another shard as an end moved, for each byte flushed
   */
  private record Cost(double amplification, double runs, double moved) {}

  /** As the table of {@code docs/policies/adaptive.md} has it. */
  private static Cost cost(String options) {
    PolicyLimits limits =
        new PolicyLimits((long) ENTRIES_PER_TABLE * Workload.ENTRY_BYTES, 1, 1L << 40, 30, false);
    Policy policy = PolicySpec.parse("adaptive," + options, limits).policy();
    ShapeStore store =
        new ShapeStore(MergeRule.ADJACENT, limits.defaultTableBytes(), Workload.ENTRY_BYTES);
    store.flush(IntStream.range(0, 2 * HALF).toArray());
    Random random = new Random(7);
    long flushed = 0;
    long merged = 0;
    long runs = 0;
    long lookups = 0;
    long moved = 0;
    int end = Integer.MAX_VALUE;
    for (int flush = 0; flush < FLUSHES; flush++) {
      long before = store.mergedBytes() / Workload.ENTRY_BYTES;
      store.flush(
          IntStream.range(0, ENTRIES_PER_FLUSH)
              .map(i -> random.nextInt(HALF) + (random.nextInt(10) > 0 ? 0 : HALF))
              .toArray());
      Shape shape = store.shape();
      for (Optional<Plan> plan = policy.next(shape, Budget.unlimited());
          plan.isPresent();
          plan = policy.next(shape, Budget.unlimited())) {
        PlanCheck.check(shape, plan.get(), Budget.unlimited(), limits.maxLevel());
        store.apply(plan.get());
        shape = store.shape();
        int next = ShardBounds.ends(shape, 2)[0];
        moved += flush >= FLUSHES / 3 ? between(shape, end, next) : 0;
        end = next;
      }
      if (flush >= FLUSHES / 3) {
        flushed += ENTRIES_PER_FLUSH;
        merged += store.mergedBytes() / Workload.ENTRY_BYTES - before;
        for (int i = 0; i < 20; i++, lookups++) {
          runs += runs(shape, random.nextInt(HALF) + (random.nextInt(10) > 0 ? HALF : 0));
        }
      }
    }
    return new Cost(
        1 + (double) merged / flushed,
        (double) runs / lookups,
        (double) moved / flushed / Workload.ENTRY_BYTES);
  }

  /** Bytes of the segments between two ends, which come in any order. */
  private static long between(Shape shape, int end, int other) {
    long bytes = 0;
    for (LevelFacts level : shape.levels()) {
      for (RunFacts run : level.runs()) {
        for (SegmentFacts segment : run.segments()) {
          boolean above = segment.low() > Math.min(end, other);
          bytes += above && segment.high() <= Math.max(end, other) ? segment.bytes() : 0;
        }
      }
    }
    return bytes;
  }

  private static int runs(Shape shape, int key) {
    int runs = 0;
    for (LevelFacts level : shape.levels()) {
      for (RunFacts run : level.runs()) {
        runs += run.overlapping(key, key).isEmpty() ? 0 : 1;
      }
    }
    return runs;
  }

  private static String row(String options, Cost cost) {
    return GeneratedPage.row(
        "`" + options + "`",
        String.format(Locale.ROOT, "%.2f", cost.amplification),
        String.format(Locale.ROOT, "%.2f", cost.runs),
        options.startsWith("rung") ? "" : String.format(Locale.ROOT, "%.2f", cost.moved));
  }

  @Test
  void writesCostHalfOfLeveledAndReadsPassHalfTheRunsOfWhatIsWritten() throws IOException {
    List<String> rows = new ArrayList<>();
    rows.add("| options | written | runs | moved |");
    rows.add("|---|---|---|---|");
    Map<String, Cost> costs = new HashMap<>();
    for (String options :
        List.of("rung=0", "rung=1", "rung=5", "rung=6", "shards=50", "shards=51")) {
      costs.put(options, cost(options));
      rows.add(row(options, costs.get(options)));
    }
    GeneratedPage.of(PAGE).part("shards", rows).check();
    for (String options : List.of("shards=50", "shards=51")) {
      Cost cost = costs.get(options);
      assertThat(cost.moved).as(options).isLessThan((cost.amplification - 1) / 10);
    }
    Cost apart = costs.get("shards=51");
    assertThat(apart.amplification).isLessThan(costs.get("rung=1").amplification / 2);
    assertThat(apart.runs).isLessThan(costs.get("rung=6").runs / 2);
    assertThat(apart.runs).isLessThan(costs.get("rung=5").runs * 0.6);
  }
}
