// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.simulator;

/** Listener for the progress of a simulation; called often, by one thread at a time. */
@FunctionalInterface
public interface SimulationProgress {
  /**
   * Receives the present progress; the simulation waits until it returns.
   *
   * @param share completed share of the load, from 0 to 1
   */
  void at(double share);
}
