// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.simulator;

/** Runs scenarios. Deterministic: one scenario, one report. Takes its decisions from policies. */
public final class Simulator {

  private Simulator() {}

  /**
   * Runs a scenario to its end on this thread.
   *
   * @throws IllegalArgumentException if the scenario is too large for its fidelity
   */
  public static Report run(Scenario scenario, Progress progress) {
    throw new UnsupportedOperationException(scenario + " " + progress);
  }
}
