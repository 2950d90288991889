// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.bench.compare;

import io.coppice.policy.Reason;
import io.coppice.policy.observe.StrategySnapshot;
import java.util.Set;

/**
 * Counts the decisions of our strategy, from the decisions that its bean keeps. It reads them after
 * each flush and therefore misses none. One thread.
 */
final class DecisionMeter {

  /** Codes of merges of a descent. Below {@code vct} SSTables they are deferred. */
  private static final Set<String> DESCENTS = Set.of("l0-trigger", "over-target", "too-deep");

  private long last;
  private long delays;
  private long descents;
  private long readMerges;
  private long otherMerges;

  /** Counts the decisions of a snapshot that earlier snapshots lacked. */
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
