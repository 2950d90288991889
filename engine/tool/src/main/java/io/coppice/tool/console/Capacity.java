// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.tool.console;

import io.coppice.policy.MergeRule;
import io.coppice.policy.spec.LevelGrowth;
import io.coppice.policy.spec.PolicySpec;

/**
 * The capacity of a level, in bytes or in runs, that makes its policy merge it into the next level.
 *
 * <p>It is unknown for policies that weigh all levels together ({@code tiered}) or switch between
 * arrangements ({@code adaptive}), and for the last level. Immutable.
 *
 * @param bytes -1 if the limit is not in bytes
 * @param runs -1 if the limit is not in runs
 */
record Capacity(long bytes, long runs) {

  private static final Capacity NONE = new Capacity(-1, -1);

  /**
   * Returns the capacity of a level.
   *
   * @param level 0 or more
   * @param deepest the deepest level with data
   */
  static Capacity of(PolicySpec spec, MergeRule rule, int level, int deepest) {
    if (level >= spec.limits().maxLevel()) {
      return NONE;
    }
    return switch (spec.policyName()) {
      case "leveled", "delayed" ->
          level == 0 ? new Capacity(-1, spec.value("l0_trigger")) : target(spec, level);
      case "grouped" ->
          // The deepest level is then a single run, which moves down when it is full.
          level > 0 && level >= deepest && spec.value("last_level_leveled") != 0
              ? NONE
              : new Capacity(-1, LevelGrowth.of(spec).factor());
      case "split-forest" -> new Capacity(-1, LevelGrowth.of(spec).factor());
      case "lazy-binomial" ->
          // A merge is due beyond k trees. Under {@code FREE}, each tree has a level of its own.
          level == 1 && rule == MergeRule.ADJACENT ? new Capacity(-1, spec.value("k") + 1) : NONE;
      default -> NONE;
    };
  }

  private static Capacity target(PolicySpec spec, int level) {
    double target =
        LevelGrowth.baseBytes(spec) * Math.pow(LevelGrowth.of(spec).factor(), level - 1);
    return target >= Long.MAX_VALUE ? NONE : new Capacity((long) target, -1);
  }
}
