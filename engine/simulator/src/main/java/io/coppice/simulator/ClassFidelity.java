// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.simulator;

import io.coppice.policy.spec.LevelGrowth;
import java.util.Optional;
import java.util.function.Function;

/**
 * Simulation with the class model at any size. If the written bytes fill at most {@value
 * #MAX_TABLES} memtables or tables, whichever are smaller, every table is simulated. A larger store
 * whose policy has a growth law is simulated window by window. Any other store is simulated with
 * larger memtables, and its results follow from their trend. The choice depends only on the
 * scenario, never on the machine.
 */
final class ClassFidelity {

  /**
   * Largest load whose every table is simulated: its written bytes, counted in memtables or tables,
   * whichever are smaller.
   */
  static final long MAX_TABLES = 40_000;

  private final Scenario scenario;
  private final Function<Scenario, Simulation.Observer> observers;

  ClassFidelity(Scenario scenario, Function<Scenario, Simulation.Observer> observers) {
    this.scenario = scenario;
    this.observers = observers;
  }

  /** Runs the scenario to its end on this thread. */
  SimulationReport run(SimulationProgress progress) {
    if (fitsTableByTable(scenario)) {
      return Simulator.run(scenario, new ClassModel(scenario), progress, observers.apply(scenario));
    }
    LevelGrowth growth = LevelGrowth.of(scenario.policy());
    return growth.shape() == LevelGrowth.Levels.NO_LAW
        ? new ExtrapolatedSimulation(scenario, observers).run(progress)
        : WindowedSimulation.run(
            scenario, new Windows(scenario, growth).windows(), progress, observers);
  }

  /**
   * Returns the fault of a scenario that only this fidelity has, in words, if there is one. In a
   * store too large to simulate every table, deletions and {@code max_transient_space} are faults,
   * and a limit on transient space is one unless levels have target sizes.
   */
  static Optional<String> fault(Scenario scenario) {
    if (fitsTableByTable(scenario)) {
      return Optional.empty();
    }
    if (scenario.workload().deletes() > 0) {
      return Optional.of(
          "deletions ("
              + scenario.workload()
              + ") are simulated up to "
              + MAX_TABLES
              + " tables written; take less data or larger tables");
    }
    if (scenario.policy().transientBytes(0) < Long.MAX_VALUE) {
      return Optional.of(
          "max_transient_space is simulated up to "
              + MAX_TABLES
              + " tables written; take less data or larger tables");
    }
    if (scenario.transientBytes() == Long.MAX_VALUE
        || LevelGrowth.of(scenario.policy()).shape() == LevelGrowth.Levels.TARGETS) {
      return Optional.empty();
    }
    return Optional.of(
        "a limit on transient space ("
            + scenario.transientBytes()
            + ") under "
            + scenario.policy().policyName()
            + " is simulated up to "
            + MAX_TABLES
            + " tables written; take less data or larger tables");
  }

  /**
   * Returns the expected time of a scenario per entry, without a unit, for comparison with other
   * policies. It follows the number of segments that a policy examines: a forest has some, a
   * virtual segment several per table.
   */
  static double workPerEntry(Scenario scenario) {
    if (fitsTableByTable(scenario)) {
      return 1;
    }
    return switch (LevelGrowth.of(scenario.policy()).shape()) {
      case TARGETS -> LevelGrowth.gathersSlices(scenario.policy()) ? 15 : 1;
      case NO_LAW -> 0.3;
      case WHOLE_RUNS -> 0.1;
    };
  }

  private static boolean fitsTableByTable(Scenario scenario) {
    long smaller = Math.min(scenario.memtableBytes(), scenario.policy().tableBytes());
    return scenario.writeBytes() / smaller <= MAX_TABLES;
  }
}
