// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.simulator;

/** Told how far a simulation has come; called often, by one thread at a time. */
@FunctionalInterface
public interface Progress {
  /**
   * Notes how far it is.
   *
   * @param share of the load that is done, from 0 to 1
   */
  void at(double share);
}
