// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.tool.console;

import io.coppice.policy.Growth;
import io.coppice.policy.MergeRule;
import io.coppice.policy.PolicySpec;

/**
 * What a level holds when its policy merges it into the next: bytes, or runs. Not known for
 * policies that weigh all levels together ({@code tiered}) or are another one by turns ({@code
 * adaptive}), nor for a level that nothing follows. A value.
 *
 * @param bytes -1 if bytes are not what counts
 * @param runs -1 if runs are not what counts
 */
record Capacity(long bytes, long runs) {

  private static final Capacity NONE = new Capacity(-1, -1);

  /**
   * Of a level from 0 on.
   *
   * @param deepest the deepest level that holds something
   */
  static Capacity of(PolicySpec spec, MergeRule rule, int level, int deepest) {
    if (level >= spec.limits().maxLevel()) {
      return NONE;
    }
    return switch (spec.policyName()) {
      case "leveled", "delayed" ->
          level == 0 ? new Capacity(-1, spec.value("l0_trigger")) : target(spec, level);
      case "grouped" ->
          // The deepest level is one run then, which goes down by what is due to it.
          level > 0 && level >= deepest && spec.value("last_level_leveled") != 0
              ? NONE
              : new Capacity(-1, Growth.of(spec).factor());
      case "split-forest" -> new Capacity(-1, Growth.of(spec).factor());
      case "lazy-binomial" ->
          // With k trees it rests. Where merges are free, each tree has a level of its own.
          level == 1 && rule == MergeRule.ADJACENT ? new Capacity(-1, spec.value("k") + 1) : NONE;
      default -> NONE;
    };
  }

  private static Capacity target(PolicySpec spec, int level) {
    double target = Growth.baseBytes(spec) * Math.pow(Growth.of(spec).factor(), level - 1);
    return target >= Long.MAX_VALUE ? NONE : new Capacity((long) target, -1);
  }
}
