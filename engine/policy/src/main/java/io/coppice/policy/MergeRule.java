// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.policy;

/** What a host demands of the inputs of one plan. */
public enum MergeRule {
  /**
   * Recency is a matter of position: a lookup stops at its first hit. A plan must leave the order
   * of age between any two overlapping slices as it was. The engine and the simulator use it.
   */
  ADJACENT,
  /**
   * Every cell carries its own timestamp, so any slices may be merged or moved. Cassandra uses it.
   */
  FREE
}
