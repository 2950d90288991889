// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.policy.observe;

import io.coppice.policy.Budget;
import io.coppice.policy.LevelFacts;
import io.coppice.policy.Plan;
import io.coppice.policy.Policy;
import io.coppice.policy.RunFacts;
import io.coppice.policy.SegmentFacts;
import io.coppice.policy.Shape;
import io.coppice.policy.spec.PolicySpec;
import java.util.Optional;
import java.util.Set;

/**
 * Request of a host to a policy for a plan, with the answer. It holds only immutable values, so
 * recording a decision copies nothing. Policies are pure, so the same request gives the same plan
 * again; see {@link Question#REWRITE} for the exception.
 *
 * @param sequence number in the journal, from 1, without gaps
 * @param family the key space to plan; {@link #DEFAULT_FAMILY} in a host with one key space
 * @param policy the policy asked, with its host's {@link PolicySpec#limits}
 * @param question the kind of request
 * @param shape the store as the policy saw it
 * @param budget the budget of the request
 * @param plan the answer; empty if the policy had no plan
 */
public record Decision(
    long sequence,
    String family,
    PolicySpec policy,
    Question question,
    Shape shape,
    Budget budget,
    Optional<Plan> plan) {

  /** Key space that every host has. */
  public static final String DEFAULT_FAMILY = "default";

  /** Kind of request to a policy. */
  public enum Question {
    /** Request for the next plan, {@link Policy#next}. */
    NEXT,
    /** Request for the next plan of a major compaction, {@link Policy#everything}. */
    EVERYTHING,
    /**
     * Request for the next plan of an in-place rewrite, {@link Policy#rewrite}. The decision does
     * not record the slices that were to be rewritten; when repeated, it names the slices of the
     * answer instead.
     */
    REWRITE
  }

  /**
   * Returns the answer of a policy to this request. It is empty for a rewrite whose recorded answer
   * is empty.
   */
  public Optional<Plan> ask(Policy other) {
    if (question == Question.NEXT) {
      return other.next(shape, budget);
    }
    if (question == Question.EVERYTHING) {
      return other.everything(shape, budget);
    }
    return plan.flatMap(answer -> other.rewrite(shape, Set.copyOf(answer.slices()), budget));
  }

  /** Returns the number of slices in the shape. */
  int slices() {
    int slices = 0;
    for (LevelFacts level : shape.levels()) {
      for (RunFacts run : level.runs()) {
        for (SegmentFacts segment : run.segments()) {
          slices += segment.slices().size();
        }
      }
    }
    return slices;
  }
}
