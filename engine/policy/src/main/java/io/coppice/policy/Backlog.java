// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.policy;

import java.time.Duration;

/**
 * Work that a policy still wants done.
 *
 * @param bytes bytes on disk of the inputs of the merges that the present shape shows; a later
 *     merge of their outputs is not included
 * @param plans lower bound of the number of remaining plans; above zero whenever a plan is wanted,
 *     even if all wanted plans wait for claimed slices
 * @param headroomBytes least transient bytes (see {@link PlanCost}) that any of those plans needs
 *     to start; 0 if one needs none. If a budget's {@code transientBytes} is lower, space is the
 *     limit that stops the policy
 */
public record Backlog(long bytes, int plans, long headroomBytes) {
  /** Backlog of a settled store: nothing to do. */
  public static final Backlog NONE = new Backlog(0, 0, 0);

  /**
   * Returns the time that the work takes, in whole seconds, rounded up.
   *
   * @param bytesPerSecond present input rate of merges, above 0
   * @throws IllegalArgumentException if the rate is not above 0
   */
  public Duration at(double bytesPerSecond) {
    if (!(bytesPerSecond > 0)) {
      throw new IllegalArgumentException("bytesPerSecond (" + bytesPerSecond + ") must be above 0");
    }
    return Duration.ofSeconds((long) Math.ceil(bytes / bytesPerSecond));
  }
}
