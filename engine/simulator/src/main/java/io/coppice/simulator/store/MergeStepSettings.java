// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.simulator.store;

import io.coppice.policy.spec.PolicySpec;
import io.coppice.policy.step.StepPicker;
import io.coppice.policy.step.TransientSpaceLimit;
import java.util.function.DoubleUnaryOperator;

/**
 * Settings of a simulated store's merges: policy, limit on transient space, and the spread of
 * tokens.
 *
 * @param policy policy with its table size, its cleaning threshold and, in Cassandra, its {@code
 *     max_transient_space}
 * @param transientBytes limit on transient space from elsewhere; {@link Long#MAX_VALUE} for none
 * @param positions returns the position of a token in the order of keys, both from 0 to 1
 */
public record MergeStepSettings(
    PolicySpec policy, long transientBytes, DoubleUnaryOperator positions) {

  /** Creates the settings of a store whose keys are spread evenly over the tokens. */
  public MergeStepSettings(PolicySpec policy, long transientBytes) {
    this(policy, transientBytes, DoubleUnaryOperator.identity());
  }

  long tableBytes() {
    return policy.tableBytes();
  }

  /** Returns the maximum bytes that a step of a merge with a cleaning threshold reads. */
  long stepBytes(int cleaningThreshold) {
    return StepPicker.stepBytes(tableBytes(), cleaningThreshold);
  }

  /** Returns the maximum bytes that a step reads; {@link Long#MAX_VALUE} without early cleaning. */
  long stepBytes() {
    return stepBytes(policy.limits().stepwise() ? (int) policy.value("cleaning_threshold") : 0);
  }

  /** Returns the limit on the transient space of merges, see {@link TransientSpaceLimit#of}. */
  TransientSpaceLimit limit(long liveBytes) {
    TransientSpaceLimit own = TransientSpaceLimit.of(policy, liveBytes);
    if (transientBytes == Long.MAX_VALUE) {
      return own;
    }
    return new TransientSpaceLimit() {

      @Override
      public long bytes(long widestBytes) {
        return Math.min(transientBytes, own.bytes(widestBytes));
      }

      @Override
      public boolean isFixed() {
        return true;
      }
    };
  }
}
