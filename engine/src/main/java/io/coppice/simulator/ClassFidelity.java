// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.simulator;

import io.coppice.policy.Growth;
import java.util.Optional;
import java.util.function.Function;

/**
 * The class model at any size. Up to some ten thousand tables and flushes every table is simulated;
 * beyond, a store whose policy has a law of growth is looked at window by window, and any other is
 * simulated with larger memtables, from whose trend its own figures follow. The choice depends on
 * the scenario alone, never on the machine.
 */
final class ClassFidelity {

  /** Tables written, and flushes, up to which every table is simulated. */
  static final long MOST_TABLES = 40_000;

  private final Scenario scenario;
  private final Function<Scenario, Simulation.Observer> observers;

  ClassFidelity(Scenario scenario, Function<Scenario, Simulation.Observer> observers) {
    this.scenario = scenario;
    this.observers = observers;
  }

  Report run(Progress progress) {
    if (fitsTableByTable(scenario)) {
      return Simulator.run(scenario, new ClassModel(scenario), progress, observers.apply(scenario));
    }
    Growth growth = Growth.of(scenario.policy());
    return growth.shape() == Growth.Levels.NO_LAW
        ? new Trend(scenario, observers).run(progress)
        : LargeStore.run(scenario, new Windows(scenario, growth).windows(), progress, observers);
  }

  /** What only this fidelity cannot do, of a scenario that is sound otherwise. */
  static Optional<String> fault(Scenario scenario) {
    if (scenario.transientBytes() == Long.MAX_VALUE
        || fitsTableByTable(scenario)
        || Growth.of(scenario.policy()).shape() == Growth.Levels.TARGETS) {
      return Optional.empty();
    }
    return Optional.of(
        "a limit on transient space ("
            + scenario.transientBytes()
            + ") under "
            + scenario.policy().policyName()
            + " is simulated up to "
            + MOST_TABLES
            + " tables written; take less data or larger tables");
  }

  private static boolean fitsTableByTable(Scenario scenario) {
    long smaller = Math.min(scenario.memtableBytes(), scenario.policy().tableBytes());
    return scenario.writeBytes() / smaller <= MOST_TABLES;
  }
}
