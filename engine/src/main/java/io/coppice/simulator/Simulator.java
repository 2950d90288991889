// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.simulator;

/** Runs scenarios. Deterministic: one scenario, one report. Takes its decisions from policies. */
public final class Simulator {

  private Simulator() {}

  /**
   * Runs a scenario to its end on this thread.
   *
   * @throws IllegalArgumentException naming every fault of the scenario, among them that it is too
   *     large for its fidelity
   */
  public static Report run(Scenario scenario, Progress progress) {
    scenario.check();
    return switch (scenario.fidelity()) {
      case EXACT ->
          new Simulation<>(scenario, new KeyModel(scenario), (shape, plan) -> {}).run(progress);
      case CLASSES ->
          new Simulation<>(scenario, new ClassModel(scenario), (shape, plan) -> {}).run(progress);
    };
  }
}
