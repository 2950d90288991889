// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.policy.check;

import static org.assertj.core.api.Assertions.assertThat;

import io.coppice.policy.Budget;
import io.coppice.policy.MergeRule;
import io.coppice.policy.Plan;
import io.coppice.policy.Shape;
import io.coppice.policy.ShapeStore;
import io.coppice.policy.WildPlans;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/**
 * Whatever plan PlanCheck lets through, from no policy and beside any merges under way, a lookup
 * still finds the newest value. Fails with the seed; {@code -Dseed=N} runs that one alone.
 */
class PlanCheckModelTest {

  private static final int MAX_LEVEL = 4;
  private static final int PLANS = 400;

  private final Map<String, Integer> accepted = new TreeMap<>();
  private final Map<String, Integer> refused = new TreeMap<>();

  @Test
  void noPlanThatPassesLosesAnUpdate() {
    long only = Long.getLong("seed", -1);
    for (long seed = 0; seed < Long.getLong("seeds", 40); seed++) {
      if (only < 0 || only == seed) {
        live(seed);
      }
    }
    if (only < 0) {
      for (Map<String, Integer> plans : List.of(accepted, refused)) {
        assertThat(plans).containsOnlyKeys("Delay", "Drop", "Merge", "Move");
        assertThat(plans.values()).as("%s", plans).allMatch(count -> count > 30);
      }
    }
  }

  private void live(long seed) {
    Random random = new Random(seed);
    ShapeStore store = new ShapeStore(MergeRule.ADJACENT, 4096, 1024);
    for (int level = MAX_LEVEL - 1; level >= 0; level--) {
      for (int run = 0; run < 3; run++) {
        store.place(level, keys(random));
      }
    }
    List<ShapeStore.Job> jobs = new ArrayList<>();
    for (int i = 0; i < PLANS; i++) {
      Shape shape = store.shape();
      Plan plan = WildPlans.any(shape, random, MAX_LEVEL);
      Optional<String> fault = PlanCheck.fault(shape, plan, Budget.unlimited(), MAX_LEVEL);
      if (fault.isPresent()) {
        refused.merge(plan.getClass().getSimpleName(), 1, Integer::sum);
      } else {
        accepted.merge(plan.getClass().getSimpleName(), 1, Integer::sum);
        if (plan instanceof Plan.Merge merge) {
          jobs.add(store.begin(merge));
        } else {
          store.apply(plan);
        }
      }
      if (!jobs.isEmpty() && random.nextInt(3) == 0) {
        ShapeStore.Job job = jobs.get(random.nextInt(jobs.size()));
        if (!store.step(job, 1 + random.nextInt(2))) {
          jobs.remove(job);
        }
      }
      if (random.nextInt(10) == 0) {
        store.flush(keys(random));
      }
      if (random.nextInt(6) == 0) {
        store.flushDeletions(keys(random));
      }
      assertThat(store.wrongKeys()).as("seed %d, after %s", seed, plan).isEmpty();
    }
  }

  private static int[] keys(Random random) {
    int from = random.nextInt(60);
    return random.ints(1 + random.nextInt(8), from, from + 1 + random.nextInt(20)).toArray();
  }
}
