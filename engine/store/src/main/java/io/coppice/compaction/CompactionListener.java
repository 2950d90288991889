// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.compaction;

import io.coppice.policy.Plan;

/**
 * Told what the compactor does, after it is durable. Called from engine threads, several at once;
 * must be quick.
 */
public interface CompactionListener {

  /**
   * A plan was taken up; if it is one of metadata alone it has been carried out by now.
   *
   * @param bytes of its inputs
   */
  default void begun(Plan plan, long bytes) {}

  /**
   * A plan was carried out by metadata alone: a move, a delay or a drop.
   *
   * @param bytes bytes of its slices
   */
  void rearranged(Plan plan, long bytes);

  /**
   * A step of a merge became durable.
   *
   * @param nanos how long it worked, from the step before on
   */
  void merged(Plan.Merge plan, long bytesRead, long bytesWritten, long nanos);

  /**
   * Says that writers would stop for merges, but that none runs and the policy plans none: writers
   * that wait now would wait for ever.
   *
   * @param why the cause and its cure
   */
  default void stuck(String why) {}

  /**
   * A plan failed, or none could be made; the inputs are untouched from the last durable step on.
   *
   * @param what the plan's reason, or what was done instead
   */
  void failed(String what, Throwable cause);
}
