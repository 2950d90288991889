// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.tool.console;

import io.coppice.policy.Growth;
import io.coppice.policy.PolicySpec;

/**
 * What a level may hold before its policy merges it into the next: bytes, or runs. Not known for
 * policies that weigh all levels together ({@code tiered}) or are another one by turns ({@code
 * adaptive}). A value.
 *
 * @param bytes -1 if bytes are not what counts
 * @param runs -1 if runs are not what counts
 */
record Capacity(long bytes, long runs) {

  private static final Capacity NONE = new Capacity(-1, -1);

  /** Of a level from 0 on. */
  static Capacity of(PolicySpec spec, int level) {
    return switch (spec.policyName()) {
      case "leveled", "delayed" ->
          level == 0 ? new Capacity(-1, spec.value("l0_trigger")) : target(spec, level);
      case "grouped", "split-forest" -> new Capacity(-1, Growth.of(spec).factor());
      case "lazy-binomial" -> level == 1 ? new Capacity(-1, spec.value("k")) : NONE;
      default -> NONE;
    };
  }

  private static Capacity target(PolicySpec spec, int level) {
    double target = Growth.baseBytes(spec) * Math.pow(Growth.of(spec).factor(), level - 1);
    return level >= spec.limits().maxLevel() || target >= Long.MAX_VALUE
        ? NONE
        : new Capacity((long) target, -1);
  }
}
