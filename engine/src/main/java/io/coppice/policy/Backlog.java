// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.policy;

/**
 * Work a policy still wants done.
 *
 * @param bytes input bytes of the merges that remain, as far as the Shape shows them
 * @param plans the least number of plans that remain; above zero whenever a plan is wanted, and
 *     also while the only plans wanted wait for claimed slices
 */
public record Backlog(long bytes, int plans) {
  /** Nothing to do. */
  public static final Backlog NONE = new Backlog(0, 0);
}
