// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.policy;

import java.time.Duration;

/**
 * Work a policy still wants done.
 *
 * @param bytes input bytes of the merges that remain, as far as the Shape shows them
 * @param plans the least number of plans that remain; above zero whenever a plan is wanted, and
 *     also while the only plans wanted wait for claimed slices
 * @param headroomBytes transient bytes without which none of those plans can start, 0 if one is
 *     free of cost. When a budget's {@code transientBytes} are below it, space is the limit in the
 *     way
 */
public record Backlog(long bytes, int plans, long headroomBytes) {
  /** Nothing to do. */
  public static final Backlog NONE = new Backlog(0, 0, 0);

  /**
   * How long the work takes, whole seconds rounded up.
   *
   * @param bytesPerSecond input bytes that merges consume at present, above 0
   * @throws IllegalArgumentException if the rate is not above 0
   */
  public Duration at(double bytesPerSecond) {
    if (!(bytesPerSecond > 0)) {
      throw new IllegalArgumentException("bytesPerSecond (" + bytesPerSecond + ") must be above 0");
    }
    return Duration.ofSeconds((long) Math.ceil(bytes / bytesPerSecond));
  }
}
