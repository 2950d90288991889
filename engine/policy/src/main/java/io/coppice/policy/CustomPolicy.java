// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.policy;

/**
 * A policy of the application, which a store knows by an id as it knows Coppice's own by theirs: in
 * texts such as {@code every-four,table_size=1MiB}. Its plans pass the same checks as all others,
 * so a wrong one fails and loses nothing. Thread-safe.
 *
 * <p>The store remembers the text, and so the id, in its manifest, and never a class: whoever opens
 * it again gives the object again, or names another policy.
 */
public interface CustomPolicy {

  /**
   * Its name in texts: 1 to 64 characters of a-z, 0-9 and '-', and none of Coppice's own. Persisted
   * in the store; it must not change.
   */
  String id();

  /**
   * Makes the policy.
   *
   * @param tableBytes the size at which merges cut their outputs, as the text says
   * @param cleaningThreshold output tables after which a merge is to release what it has consumed,
   *     as the text says; a policy puts it into its plans
   */
  Policy policy(long tableBytes, int cleaningThreshold);

  /** Runs that level 0 may keep without a merge; writers are held back as it has more. */
  default int restingRuns() {
    return 4;
  }
}
