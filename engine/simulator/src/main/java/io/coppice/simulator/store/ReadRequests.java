// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.simulator.store;

import io.coppice.policy.MergeRule;
import io.coppice.policy.Plan;
import io.coppice.policy.Policy;
import io.coppice.policy.ReadBudget;
import io.coppice.policy.Reason;
import io.coppice.policy.Shape;
import java.util.Set;

/**
 * Requests of lookups in a simulated store for merges, granted within its {@link ReadBudget}. Used
 * by one thread.
 */
public final class ReadRequests {

  private final Policy policy;
  private final SimulatedStore<?> store;
  private final long tableBytes;
  private final ReadBudget budget = new ReadBudget();
  private long flushedBytes;

  public ReadRequests(Policy policy, SimulatedStore<?> store, long tableBytes) {
    this.policy = policy;
    this.store = store;
    this.tableBytes = tableBytes;
  }

  /** Records a flush that wrote this many bytes. */
  public void flushed(long bytes) {
    flushedBytes += bytes;
  }

  /** Returns whether lookups may request a merge now; otherwise they can be left out. */
  public boolean possible() {
    return policy.mergeOnRead() < Integer.MAX_VALUE && store.mayAsk();
  }

  /** Looks up a rank, which may request a merge. */
  public void read(int rank) {
    store.read(rank, policy.mergeOnRead());
  }

  /** Returns the store as its policy sees it, with the granted requests. */
  public Shape shape() {
    Shape shape = store.shape();
    return policy.mergeOnRead() == Integer.MAX_VALUE
        ? shape
        : shape.requesting(
            budget
                .answer(
                    policy.readTerms(),
                    shape,
                    store.lookups(),
                    flushedBytes,
                    tableBytes,
                    this::fitting)
                .granted());
  }

  /**
   * Returns the requests whose merges fit the space. Under FREE the store splits a large merge into
   * rounds.
   */
  private Set<Long> fitting(Shape requested) {
    return requested.rule() == MergeRule.FREE
        ? requested.requests()
        : policy.requestsThatFit(requested, store.transientLimit());
  }

  /** Charges a plan that was carried out to the read budget, if it was requested by reads. */
  public void applied(Plan plan, SimulatedStore.Effect effect) {
    if (plan.reason().code().equals(Reason.READ_REQUEST)) {
      budget.charge(effect.readBytes());
    }
  }
}
