// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.compaction.context;

import io.coppice.policy.Plan;

/**
 * Listener for the compactor's work, called after the work is durable. Threads of the store call
 * it, several at once, so it must be safe to share between threads. It must return quickly.
 */
public interface CompactionListener {

  /**
   * Reports a started plan. A move, a delay or a drop has then already been carried out.
   *
   * @param bytes bytes of its inputs
   */
  default void begun(Plan plan, long bytes) {}

  /**
   * Reports a plan carried out by metadata alone: a move, a delay or a drop.
   *
   * @param bytes bytes of its slices
   */
  void rearranged(Plan plan, long bytes);

  /**
   * Reports that a step of a merge became durable.
   *
   * @param bytesRead bytes of the inputs that the step removed
   * @param bytesWritten bytes of its outputs
   * @param nanos duration of the step in nanoseconds
   */
  void merged(Plan.Merge plan, long bytesRead, long bytesWritten, long nanos);

  /**
   * Reports that writers would stop for merges while none runs and the policy plans none. Writers
   * that waited now would wait forever.
   *
   * @param why the cause and its cure
   */
  default void stuck(String why) {}

  /**
   * Reports that a plan failed or that none could be made. The inputs are unchanged since the last
   * durable step.
   *
   * @param what the plan's reason, or a text that says what failed
   */
  void failed(String what, Throwable cause);
}
