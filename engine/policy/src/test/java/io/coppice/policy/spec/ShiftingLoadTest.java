// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.policy.spec;

import static org.assertj.core.api.Assertions.assertThat;

import io.coppice.policy.SteadyLoad;
import io.coppice.policy.tuner.RungSwitch;
import io.coppice.policy.tuner.ShiftingLoad;
import io.coppice.policy.tuner.ShiftingLoad.Phase;
import io.coppice.policy.tuner.Tuner;
import io.coppice.testing.Seeds;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/**
 * The bar of {@code bench --suite=adaptive} for decisions alone: beside every static policy and
 * every rung, on keys that are merged and a clock that stands in the samples.
 */
class ShiftingLoadTest {

  /** In every phase no more than this times the cost of the policy that is best for it. */
  private static final double BAR = 1 / 0.9;

  private static final double MAX_SWITCH_BYTES = 0.5;
  private static final int RANDOM_SEEDS = 6;
  private static final int DWELL = 10;
  private static final String ADAPTIVE = "adaptive,window=" + DWELL;
  private static final long SEED = Seeds.seed(7);

  private static final Map<String, ShiftingLoad> FIXED = new LinkedHashMap<>();
  private static ShiftingLoad adaptive;

  @BeforeAll
  static void everyPolicy() {
    adaptive = measured();
    List<String> policies = new ArrayList<>(PolicySpec.policyNames());
    policies.remove(PolicyRegistry.ADAPTIVE);
    AdaptiveRung.LADDER.forEach(rung -> policies.add(rung.text()));
    Set<PolicySpec> seen = new HashSet<>();
    for (String policy : policies) {
      if (seen.add(PolicySpec.parse(policy))) {
        FIXED.put(policy, ShiftingLoad.fixed(policy, SEED).run());
      }
    }
  }

  private static ShiftingLoad measured() {
    Tuner[] tuner = new Tuner[1];
    ShiftingLoad.Pilot analyser =
        (inForce, sample, budget) -> {
          tuner[0] = tuner[0] == null ? new Tuner(budget) : tuner[0];
          return tuner[0].observe(inForce, sample).map(RungSwitch::after).orElse(inForce);
        };
    PolicySpec first = PolicySpec.parse(ADAPTIVE + ",dwell=" + DWELL, ShiftingLoad.LIMITS);
    return new ShiftingLoad(first, analyser, SEED).run();
  }

  /** As adaptive, only that its analyser decides nothing. */
  private static ShiftingLoad random(long seed) {
    Random draws = new Random(seed);
    Tuner[] tuner = new Tuner[1];
    ShiftingLoad.Pilot chance =
        (inForce, sample, budget) -> {
          tuner[0] = tuner[0] == null ? new Tuner(budget) : tuner[0];
          boolean due = sample.nanos() / SteadyLoad.SECOND % DWELL == 0;
          int rung = due ? draws.nextInt(AdaptiveRung.LADDER.size()) : 0;
          PolicySpec next = due ? inForce.with("rung=" + rung) : inForce;
          assertThat(tuner[0].observe(next, sample)).isEmpty();
          return next;
        };
    PolicySpec first = PolicySpec.parse(ADAPTIVE + ",dwell=86400", ShiftingLoad.LIMITS);
    return new ShiftingLoad(first, chance, SEED).run();
  }

  /** What is not as it should be, each a sentence. */
  private static List<String> missed(ShiftingLoad one) {
    List<String> missed = new ArrayList<>();
    for (Phase phase : Phase.values()) {
      FIXED.forEach(
          (policy, other) -> {
            double ratio = one.cost(phase) / other.cost(phase);
            if (ratio > BAR) {
              missed.add("%s costs %.2f of %s".formatted(phase, ratio, policy));
            }
          });
    }
    FIXED.forEach(
        (policy, other) -> {
          double ratio = one.whole() / other.whole();
          if (ratio >= 1) {
            missed.add("the whole costs %.2f of %s".formatted(ratio, policy));
          }
        });
    return missed;
  }

  private static String table(ShiftingLoad one) {
    StringBuilder text = new StringBuilder("seed " + SEED + ", cores of each phase and whole");
    row(text, "itself", one);
    FIXED.forEach((policy, other) -> row(text, policy, other));
    return text.toString();
  }

  private static void row(StringBuilder text, String name, ShiftingLoad one) {
    text.append("%n%-26s".formatted(name));
    for (Phase phase : Phase.values()) {
      text.append(" %.3f".formatted(one.cost(phase)));
    }
    text.append(" %.3f".formatted(one.whole()));
  }

  @Test
  void itIsNearTheBestInEveryPhaseAndAheadOfAllOverTheWhole() {
    assertThat(missed(adaptive)).as(table(adaptive)).isEmpty();
    assertThat(adaptive.switches()).isBetween(3, 12);
    assertThat(adaptive.wrongKeys()).isEmpty();
  }

  @Test
  void aSwitchSpendsAtMostHalfOfWhatLives() {
    assertThat((double) adaptive.maxSwitchBytes() / ShiftingLoad.LIVE_BYTES)
        .as("seed %d", SEED)
        .isPositive()
        .isLessThanOrEqualTo(MAX_SWITCH_BYTES);
  }

  @Test
  void withRungsDrawnByChanceTheBarIsMissed() {
    for (long seed = SEED; seed < SEED + RANDOM_SEEDS; seed++) {
      ShiftingLoad random = random(seed);
      assertThat(missed(random)).as("rungs by %d, %s", seed, table(random)).isNotEmpty();
    }
  }
}
