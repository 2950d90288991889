// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.policy;

/**
 * What carrying a plan out will cost at most, as far as the Shape shows it.
 *
 * @param readBytes bytes of the inputs
 * @param writeBytes bytes of the outputs, if no entry hides another
 * @param transientBytes by how much the disk may fill at some instant: outputs written less inputs
 *     released. With early cleaning after {@code c} outputs of size S that is c·S and one table of
 *     each input run, as at most one of each straddles the place the merge has reached
 */
public record Forecast(long readBytes, long writeBytes, long transientBytes) {
  /** A plan that touches metadata only. */
  public static final Forecast FREE_OF_COST = new Forecast(0, 0, 0);
}
