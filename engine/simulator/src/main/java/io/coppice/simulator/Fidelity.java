// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.simulator;

/** Level of detail of a simulation. */
public enum Fidelity {
  /**
   * Every table is a sorted array of real keys, and every merge is computed; up to 10^8 operations.
   */
  EXACT,
  /**
   * A table is a key range with the share that it holds of each class of similarly popular keys; up
   * to a petabyte.
   */
  CLASSES;

  /**
   * Most operations that {@link #suiting} simulates exactly: they take minutes in an ordinary heap.
   */
  private static final long MAX_EXACT_OPERATIONS = 30_000_000;

  /** Returns the most detailed fidelity that is practical for this number of operations. */
  public static Fidelity suiting(long operations) {
    return operations <= MAX_EXACT_OPERATIONS ? EXACT : CLASSES;
  }
}
