// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.simulator;

import static org.assertj.core.api.Assertions.assertThat;

import io.coppice.policy.MergeRule;
import io.coppice.policy.spec.PolicyLimits;
import io.coppice.policy.spec.PolicyOption;
import io.coppice.policy.spec.PolicySpec;
import io.coppice.policy.spec.PolicySpecException;
import io.coppice.simulator.keys.WriteWorkload;
import io.coppice.testing.Seeds;
import java.util.List;
import java.util.Random;
import java.util.function.BiFunction;
import org.junit.jupiter.api.Test;

/**
 * Law: after each flush a policy comes to rest, whatever its options. Two rules that undo each
 * other's merges would plan for ever, and the simulation would fail. The test draws policy,
 * options, merge rule and load; {@code -Dcases=N} draws more.
 */
class RestLawTest {

  private static final int CASES = Integer.getInteger("cases", 10);

  /** Seeds with which joins of small tables and merges of overlaps undid each other. */
  private static final long[] FOUND = {32};

  private static final int ENTRY_BYTES = 64;
  private static final int TABLE_BYTES = 8 * ENTRY_BYTES;
  private static final int MAX_SIZE = 64 * TABLE_BYTES;
  private static final int MAX_THOUSANDTHS = 10_000;
  private static final int MOST_SHARDS = 8;
  private static final int RUNGS = 7;

  private static final List<String> LOADS =
      List.of(
          "insert",
          "insert",
          "uniform-update",
          "zipf:0.99",
          "uniform-update,deletes:0.1",
          "uniform-update,deletes:0.6",
          "zipf:0.99,deletes:0.9");

  /** Draws the options that decide how many tables a merge takes. */
  private static PolicySpec shaped(Random random, PolicyLimits limits) {
    int fanout = 2 + random.nextInt(7);
    String text =
        switch (random.nextInt(8)) {
          case 0 -> "leveled,fanout=" + fanout;
          case 1 -> "tiered,trigger=" + (2 + random.nextInt(11));
          case 2 -> "lazy-binomial,k=" + (2 + random.nextInt(11));
          case 3 -> "split-forest,fanout=" + fanout;
          case 4 -> "grouped,groups=" + (2 + random.nextInt(6));
          default -> "delayed,fanout=" + fanout + ",vct=" + (2 + random.nextInt(19));
        };
    return PolicySpec.parse(text + ",cleaning_threshold=" + random.nextInt(2), limits);
  }

  /** Draws each option from its whole range, small values more often, or leaves its default. */
  private static PolicySpec any(Random random, PolicyLimits limits) {
    List<String> names = PolicySpec.policyNames();
    while (true) {
      String name = random.nextInt(3) == 0 ? "delayed" : names.get(random.nextInt(names.size()));
      StringBuilder text = new StringBuilder(name);
      for (PolicyOption option : PolicySpec.options(name, limits)) {
        if (!option.name().equals("table_size") && random.nextInt(3) == 0) {
          text.append(',').append(option.name()).append('=').append(value(random, option));
        }
      }
      try {
        return PolicySpec.parse(text.toString(), limits);
      } catch (PolicySpecException e) {
        // Options that exclude each other are drawn again.
      }
    }
  }

  private static String value(Random random, PolicyOption option) {
    return switch (option.type()) {
      case INTEGER, FLAG -> option.format(drawn(random, option.min(), option.max()));
      case DECIMAL -> option.format(drawn(random, option.min(), MAX_THOUSANDTHS));
      case SIZE -> option.format(drawn(random, option.min(), MAX_SIZE));
      case SPACE -> option.format(option.defaultValue());
      case RUNGS -> {
        StringBuilder rungs = new StringBuilder();
        for (int i = 1 + random.nextInt(MOST_SHARDS); i > 0; i--) {
          rungs.append(random.nextInt(RUNGS));
        }
        yield rungs.toString();
      }
    };
  }

  /** Draws a number within the bounds, both inclusive, whose logarithm is evenly distributed. */
  private static long drawn(Random random, long min, long max) {
    double span = Math.max(0, max - min) + 1.0;
    return min + (long) Math.exp(random.nextDouble() * Math.log(span + 1)) - 1;
  }

  private static Scenario scenario(
      Random random,
      BiFunction<Random, PolicyLimits, PolicySpec> policy,
      List<String> workloads,
      int maxReads) {
    boolean free = random.nextInt(4) > 0;
    PolicyLimits limits = new PolicyLimits(TABLE_BYTES, 1, 1L << 40, 30, true, 0, free);
    long flush = (1L + random.nextInt(4)) * TABLE_BYTES;
    long data = (100L + random.nextInt(300)) * flush;
    return new Scenario(
        policy.apply(random, limits),
        free ? MergeRule.FREE : MergeRule.ADJACENT,
        WriteWorkload.parse(workloads.get(random.nextInt(workloads.size()))),
        data,
        data,
        flush,
        ENTRY_BYTES,
        0,
        maxReads == 0 ? 0 : random.nextInt(maxReads + 1),
        Long.MAX_VALUE,
        random.nextInt(1000),
        Fidelity.EXACT);
  }

  private static void run(Scenario drawn) {
    SimulationReport report =
        new Simulation<>(drawn, new KeyModel(drawn), (shape, budget, plan) -> {}, false)
            .run(share -> {});
    assertThat(report.wa()).as(drawn.toString()).isPositive();
  }

  @Test
  void eachPolicyRestsWhateverItsShape() {
    List<String> updates = List.of("insert", "uniform-update");
    Seeds.forEachFoundAndMore(
        FOUND, CASES, random -> run(scenario(random, RestLawTest::shaped, updates, 0)));
  }

  @Test
  void anyOptionsRest() {
    Seeds.forEachOfMany(CASES, random -> run(scenario(random, RestLawTest::any, LOADS, 1)));
  }
}
