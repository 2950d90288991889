// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.bench.compare;

import io.coppice.bench.compare.report.Figures;
import io.coppice.policy.Reason;
import io.coppice.policy.observe.StrategySnapshot;
import java.util.Set;

/**
 * Counter of the decisions of Coppice's strategy, which it reads from the strategy's bean after
 * each flush. The bean keeps more decisions than one flush causes, so none is missed. Used by one
 * thread.
 */
final class DecisionMeter {

  /**
   * Reason codes of merges into the next level, which {@code delayed} defers if fewer than {@code
   * vct} SSTables take part.
   */
  private static final Set<String> DESCENTS = Set.of("l0-trigger", "over-target", "too-deep");

  private long last;
  private long delays;
  private long descents;
  private long readMerges;
  private long otherMerges;

  /** Counts the decisions of a snapshot that no earlier snapshot contained. */
  void see(StrategySnapshot snapshot) {
    long before = last;
    for (StrategySnapshot.Decision decision : snapshot.decisions()) {
      if (decision.id() > before) {
        count(decision);
        last = Math.max(last, decision.id());
      }
    }
  }

  private void count(StrategySnapshot.Decision decision) {
    if (decision.kind().equals("delay")) {
      delays++;
    } else if (decision.kind().equals("merge")) {
      if (decision.code().equals(Reason.READ_REQUEST)) {
        readMerges++;
      } else if (DESCENTS.contains(decision.code())) {
        descents++;
      } else {
        otherMerges++;
      }
    }
  }

  Figures.Decisions figures() {
    return new Figures.Decisions(delays, descents, readMerges, otherMerges);
  }
}
