// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.simulator;

import io.coppice.policy.Budget;
import io.coppice.policy.Plan;
import io.coppice.policy.PlanCheck;
import io.coppice.policy.Policy;
import io.coppice.policy.Shape;
import java.util.List;
import java.util.Optional;

/**
 * One load under one policy: a flush, the reads beside it, then plans until the policy wants none.
 * One use, one thread.
 */
final class Simulation<C> {

  /** Told of each plan before it is carried out. */
  @FunctionalInterface
  interface Observer {
    /**
     * Notes a decision.
     *
     * @param shape what the policy saw
     */
    void decided(Shape shape, Plan plan);

    /** Notes what a plan did. */
    default void applied(Plan plan, SimulatedStore.Effect effect) {}

    /** Notes that the policy wants no more for now. */
    default void rested(Model<?> model, SimulatedStore<?> store) {}
  }

  private final Scenario scenario;
  private final Model<C> model;
  private final Observer observer;
  private final boolean checked;
  private final SimulatedStore<C> store;
  private final Policy policy;
  private final Budget budget;
  private final Measures<C> measures;
  private double lookupsDue;

  /**
   * A simulation, not yet run.
   *
   * @param checked true to hold {@link PlanCheck} against every plan, which costs more than all
   *     else
   */
  Simulation(Scenario scenario, Model<C> model, Observer observer, boolean checked) {
    this.scenario = scenario;
    this.model = model;
    this.observer = observer;
    this.checked = checked;
    store = new SimulatedStore<>(scenario.rule(), model);
    policy = scenario.policy().policy();
    budget = new Budget(1, scenario.transientBytes());
    measures = new Measures<>(scenario, model, store);
  }

  /** Runs the load to its end. */
  Report run(Progress progress) {
    List<C> memtable = model.flush();
    for (long before = 0; !memtable.isEmpty(); memtable = model.flush()) {
      measures.flushed(store.flush(memtable));
      read(model.userEntries() - before);
      before = model.userEntries();
      settle();
      measures.rested();
      observer.rested(model, store);
      progress.at((double) before / scenario.operations());
    }
    return measures.report(lackedBytes());
  }

  private long lackedBytes() {
    long needed = policy.backlog(store.shape()).headroomBytes();
    return needed > budget.transientBytes() ? needed : 0;
  }

  SimulatedStore<C> store() {
    return store;
  }

  /** Lookups beside so many writes. */
  private void read(long writes) {
    int mergeOnRead = policy.mergeOnRead();
    lookupsDue += writes * scenario.readsPerWrite();
    long lookups = (long) lookupsDue;
    lookupsDue -= lookups;
    if (mergeOnRead == Integer.MAX_VALUE || !store.mayAsk()) {
      return;
    }
    for (; lookups > 0; lookups--) {
      store.read(model.lookup(), mergeOnRead);
    }
  }

  private void settle() {
    int maxLevel = scenario.policy().limits().maxLevel();
    Shape shape = store.shape();
    for (Optional<Plan> next = policy.next(shape, budget);
        next.isPresent();
        next = policy.next(shape, budget)) {
      Plan plan = next.get();
      if (checked) {
        PlanCheck.check(shape, plan, budget, maxLevel);
      }
      observer.decided(shape, plan);
      SimulatedStore.Effect effect = store.apply(plan);
      if (effect.peakBytes() > budget.transientBytes()) {
        throw new IllegalStateException(
            "the plan filled the disk by "
                + effect.peakBytes()
                + " bytes, allowed are "
                + budget.transientBytes()
                + ": "
                + plan);
      }
      measures.applied(plan, effect);
      observer.applied(plan, effect);
      shape = store.shape();
    }
  }
}
