// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.policy.spec;

import io.coppice.policy.Policy;

/**
 * A policy supplied by the application. The store knows it by its id, as it knows Coppice's own
 * policies by their names, for example in {@code every-four,table_size=1MiB}. Its plans pass the
 * same checks as all others; the store rejects a wrong plan and loses no data. Thread-safe.
 *
 * <p>The manifest records the policy text, including the id, but no class. The application must
 * pass the object again when it reopens the store, or configure another policy.
 */
public interface CustomPolicy {

  /**
   * Returns the policy name in texts: 1 to 64 characters of a-z, 0-9 and '-', different from
   * Coppice's own names. The store persists it; it must not change.
   */
  String id();

  /**
   * Creates the policy for a configuration. Any thread may call it, any number of times.
   *
   * @param tableBytes table size in bytes that merges cut their outputs to, as configured in the
   *     text
   * @param cleaningThreshold output tables after which a merge releases the inputs it has consumed,
   *     as configured in the text, 0 for at the end; the policy copies it into its plans
   */
  Policy policy(long tableBytes, int cleaningThreshold);

  /**
   * Returns the number of runs that level 0 may keep without a merge, by default 4. The store slows
   * writers down when level 0 has more.
   */
  default int toleratedRuns() {
    return 4;
  }
}
