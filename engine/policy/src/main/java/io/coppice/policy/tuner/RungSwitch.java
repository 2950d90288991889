// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.policy.tuner;

import io.coppice.policy.Reason;
import io.coppice.policy.ShardBounds;
import io.coppice.policy.spec.PolicySpec;
import java.util.List;

/**
 * Rung change made by a {@link Tuner}, with all inputs of the decision; {@link #again} repeats it.
 *
 * @param nanos time of the sample that led to it, in nanoseconds of the host's monotonic clock
 * @param before policy in force until then
 * @param after policy in force from then on
 * @param load load of the decision
 * @param shards load of each of the {@link ShardBounds}, the lowest keys first; empty if the
 *     decision used all keys together
 * @param reason reason in numbers and words
 * @param allowance rewrite allowance that the switch grants
 */
public record RungSwitch(
    long nanos,
    PolicySpec before,
    PolicySpec after,
    Load load,
    List<Load> shards,
    Reason reason,
    RewriteAllowance allowance) {

  /** Copies the list of shards. */
  public RungSwitch {
    shards = List.copyOf(shards);
  }

  /** Value of {@link Reason#code} in the reason of every rung switch. */
  public static final String CODE = "policy-switch";

  /**
   * Returns whether today's code decides the same switch, with an equal reason, for the same load.
   */
  public boolean again() {
    return RungChoice.of(before, load, shards)
        .filter(choice -> choice.after().equals(after) && choice.reason().equals(reason))
        .isPresent();
  }
}
