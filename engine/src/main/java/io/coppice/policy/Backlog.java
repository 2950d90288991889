// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.policy;

/**
 * Work a policy still wants done.
 *
 * @param bytes input bytes of the merges that remain, as far as the Shape shows them
 * @param plans the least number of plans that remain; above zero whenever a plan is wanted, and
 *     also while the only plans wanted wait for claimed slices
 * @param leastPlanBytes input bytes of the smallest of those plans, 0 if it is a move. When a
 *     budget's {@code transientBytes} are below it, space is the limit in the way
 */
public record Backlog(long bytes, int plans, long leastPlanBytes) {
  /** Nothing to do. */
  public static final Backlog NONE = new Backlog(0, 0, 0);
}
