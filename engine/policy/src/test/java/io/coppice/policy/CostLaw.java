// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.policy;

import java.util.Optional;

/** Law 10 on two standard loads of 64 flushes: what a policy's page says it may cost, it may. */
final class CostLaw {

  static final int ENTRIES_PER_TABLE = 20;

  private static final int ENTRIES_PER_FLUSH = 40;
  private static final int FLUSHES = 64;
  private static final double ROUNDING = 0.001;

  private CostLaw() {}

  /**
   * How the law is broken, if it is.
   *
   * @param sequential the most write amplification where no flush overlaps another
   * @param uniform the same where each overlaps all others
   */
  static Optional<String> broken(Policy policy, double sequential, double uniform) {
    double inRow =
        Workload.run(
                policy,
                MergeRule.ADJACENT,
                ENTRIES_PER_TABLE,
                FLUSHES,
                Workload.sequential(ENTRIES_PER_FLUSH))
            .writeAmplification();
    double spread =
        Workload.run(
                policy,
                MergeRule.ADJACENT,
                ENTRIES_PER_TABLE,
                FLUSHES,
                Workload.uniform(ENTRIES_PER_FLUSH))
            .writeAmplification();
    if (inRow > sequential + ROUNDING) {
      return Optional.of("law 10: sequential load costs " + inRow + ", not " + sequential);
    }
    return spread > uniform + ROUNDING
        ? Optional.of("law 10: uniform load costs " + spread + ", not " + uniform)
        : Optional.empty();
  }
}
