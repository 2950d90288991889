// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.simulator;

/** How closely a simulation looks at the data. */
public enum Fidelity {
  /** Every table is a sorted array of real keys and every merge is done; up to 10^8 operations. */
  EXACT,
  /**
   * A table is a key range and, for each class of keys of like popularity, the share of the class
   * that it holds; up to a petabyte.
   */
  CLASSES;

  /** So many are looked at in minutes and fit into an ordinary heap. */
  private static final long MOST_EXACT_OPERATIONS = 30_000_000;

  /** The closer look at so many operations, if it is bearable. */
  public static Fidelity suiting(long operations) {
    return operations <= MOST_EXACT_OPERATIONS ? EXACT : CLASSES;
  }
}
