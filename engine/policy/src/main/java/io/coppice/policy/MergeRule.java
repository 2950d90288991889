// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.policy;

/** Rule that a host sets for the inputs of one plan. */
public enum MergeRule {
  /**
   * Position defines recency: a lookup stops at its first hit. A plan must keep the age order of
   * any two overlapping slices. The engine uses this rule. The simulator supports both rules.
   */
  ADJACENT,
  /**
   * Every cell has its own timestamp, so any slices may be merged or moved. Cassandra uses this
   * rule.
   */
  FREE
}
