// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.simulator;

import io.coppice.policy.Budget;
import io.coppice.policy.MergeRule;
import io.coppice.policy.Plan;
import io.coppice.policy.Policy;
import io.coppice.policy.Shape;
import io.coppice.policy.check.PlanCheck;
import io.coppice.policy.step.PlanSearch;
import io.coppice.simulator.keys.ContentModel;
import io.coppice.simulator.store.MergeStepSettings;
import io.coppice.simulator.store.ReadRequests;
import io.coppice.simulator.store.SimulatedStore;
import java.util.List;

/**
 * Simulation of one load under one policy. After each flush and its lookups, it carries out plans
 * until the policy wants none. Used once, by one thread.
 */
final class Simulation<C> {

  /** Observer of each plan before it is carried out. */
  @FunctionalInterface
  interface Observer {
    /**
     * Records a decision of the policy.
     *
     * @param shape the shape that the policy saw
     * @param budget the budget that it had
     */
    void decided(Shape shape, Budget budget, Plan plan);

    /** Records the effect of a plan. */
    default void applied(Plan plan, SimulatedStore.Effect effect) {}

    /** Records that the policy wants no further plan for now. */
    default void rested(ContentModel<?> model, SimulatedStore<?> store) {}
  }

  // The bound on the plans after one flush is BASE_PLANS, and PLANS_PER_SLICE for each slice.
  // Simulated loads need at most a tenth of it.
  private static final long BASE_PLANS = 1_000;
  private static final long PLANS_PER_SLICE = 20;

  private final Scenario scenario;
  private final ContentModel<C> model;
  private final Observer observer;
  private final boolean checked;
  private final SimulatedStore<C> store;
  private final Policy policy;
  private final Measures<C> measures;
  private final ReadRequests requests;
  private double lookupsDue;

  /**
   * Creates a simulation of a scenario.
   *
   * @param checked whether {@link PlanCheck} verifies every plan, which costs more than everything
   *     else
   */
  Simulation(Scenario scenario, ContentModel<C> model, Observer observer, boolean checked) {
    this.scenario = scenario;
    this.model = model;
    this.observer = observer;
    this.checked = checked;
    store =
        new SimulatedStore<>(
            scenario.rule(),
            model,
            new MergeStepSettings(scenario.policy(), scenario.transientBytes()));
    policy = scenario.policy().policy();
    measures = new Measures<>(scenario, model, store);
    requests = new ReadRequests(policy, store, scenario.policy().tableBytes());
  }

  /** Runs the load to its end. */
  SimulationReport run(SimulationProgress progress) {
    List<C> memtable = model.flush();
    for (long before = 0; !memtable.isEmpty(); memtable = model.flush()) {
      long bytes = store.flush(memtable);
      measures.flushed(bytes);
      requests.flushed(bytes);
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
    return needed > store.transientLimit() ? needed : 0;
  }

  SimulatedStore<C> store() {
    return store;
  }

  /** Performs the lookups that accompany this many writes. */
  private void read(long writes) {
    lookupsDue += writes * scenario.readsPerWrite();
    long lookups = (long) lookupsDue;
    lookupsDue -= lookups;
    if (requests.possible()) {
      for (; lookups > 0; lookups--) {
        requests.read(model.lookup());
      }
    }
  }

  /** Looks up a rank, in addition to the lookups of the load. */
  void readAlone(int rank) {
    if (requests.possible()) {
      requests.read(rank);
    }
  }

  /**
   * Carries out plans until the policy wants none, as after each flush.
   *
   * @throws IllegalStateException if the policy exceeds a bound on its plans, or a plan exceeds its
   *     space
   */
  void settle() {
    int maxLevel = scenario.policy().limits().maxLevel();
    Shape shape = requests.shape();
    long bound = BASE_PLANS + PLANS_PER_SLICE * slices(shape);
    long plans = 0;
    for (PlanSearch.Found next = store.next(policy, shape);
        next.plan().isPresent();
        next = store.next(policy, shape)) {
      Plan plan = next.plan().get();
      if (++plans > bound) {
        throw new IllegalStateException(
            scenario.policy()
                + " still plans after "
                + bound
                + " merges since the last flush; its merges probably never end. Next plan: "
                + plan);
      }
      if (checked) {
        PlanCheck.check(shape, plan, next.budget(), maxLevel);
      }
      observer.decided(shape, next.budget(), plan);
      SimulatedStore.Effect effect = store.apply(plan);
      // Under FREE each step obeys the limit; the whole plan may exceed it.
      if (scenario.rule() == MergeRule.ADJACENT
          && effect.peakBytes() > next.budget().transientBytes()) {
        throw new IllegalStateException(
            "the plan filled the disk by "
                + effect.peakBytes()
                + " bytes, allowed are "
                + next.budget().transientBytes()
                + ": "
                + plan);
      }
      measures.applied(plan, effect);
      requests.applied(plan, effect);
      observer.applied(plan, effect);
      shape = requests.shape();
    }
  }

  private static long slices(Shape shape) {
    return shape.levels().stream()
        .flatMap(level -> level.runs().stream())
        .flatMap(run -> run.segments().stream())
        .mapToLong(segment -> segment.slices().size())
        .sum();
  }
}
