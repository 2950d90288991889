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
  CLASSES
}
