// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.simulator;

import io.coppice.policy.observe.Decision;
import io.coppice.policy.observe.DecisionJournal;
import io.coppice.simulator.keys.ContentModel;
import java.util.Optional;
import java.util.function.Function;

/**
 * Entry point of simulations. A scenario always gives the same report; all decisions come from
 * policies.
 */
public final class Simulator {

  private Simulator() {}

  /**
   * Runs a scenario to its end on this thread; a long load takes minutes.
   *
   * @throws IllegalArgumentException if the scenario has faults, such as a size beyond its
   *     fidelity; the message names all of them
   */
  public static SimulationReport run(Scenario scenario, SimulationProgress progress) {
    return run(scenario, progress, part -> (shape, budget, plan) -> {});
  }

  /**
   * Runs a scenario like {@link #run(Scenario, SimulationProgress)}, and records every plan in a
   * journal.
   *
   * @throws IllegalArgumentException if the scenario has faults; the message names all of them
   */
  public static SimulationReport run(
      Scenario scenario, SimulationProgress progress, DecisionJournal journal) {
    return run(
        scenario,
        progress,
        part ->
            (shape, budget, plan) ->
                journal.note(
                    part.policy(), Decision.Question.NEXT, shape, budget, Optional.of(plan)));
  }

  private static SimulationReport run(
      Scenario scenario,
      SimulationProgress progress,
      Function<Scenario, Simulation.Observer> observers) {
    scenario.check();
    return scenario.fidelity() == Fidelity.EXACT
        ? run(scenario, new KeyModel(scenario), progress, observers.apply(scenario))
        : new ClassFidelity(scenario, observers).run(progress);
  }

  /** Simulates one store with one model. */
  static <C> SimulationReport run(
      Scenario scenario,
      ContentModel<C> model,
      SimulationProgress progress,
      Simulation.Observer observer) {
    // With assertions enabled, every plan is verified.
    boolean checked = Simulator.class.desiredAssertionStatus();
    return new Simulation<>(scenario, model, observer, checked).run(progress);
  }
}
