// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.policy;

import java.util.Optional;
import java.util.Set;

/**
 * One question that a host put to a policy, and what the policy answered. It refers to immutable
 * values only, so noting one copies nothing; and as policies are pure, it can be asked again.
 *
 * @param sequence its number in the journal, from 1, without gaps
 * @param family the key space it is about; {@link #DEFAULT_FAMILY} in a host that has but one
 * @param policy the policy asked, with the limits of its host
 * @param question what was asked
 * @param shape the store as the policy saw it
 * @param budget what the policy was allowed
 * @param plan the answer
 */
public record Decision(
    long sequence,
    String family,
    PolicySpec policy,
    Question question,
    Shape shape,
    Budget budget,
    Optional<Plan> plan) {

  /** The key space that every host has. */
  public static final String DEFAULT_FAMILY = "default";

  /** What a policy can be asked for. */
  public enum Question {
    /** {@link Policy#next}. */
    NEXT,
    /** {@link Policy#everything}. */
    EVERYTHING,
    /**
     * {@link Policy#rewrite}. What it was asked to rewrite is not kept: asked again, it is for what
     * the answer takes up.
     */
    REWRITE
  }

  /** What a policy answers to this question. */
  public Optional<Plan> ask(Policy other) {
    if (question == Question.NEXT) {
      return other.next(shape, budget);
    }
    if (question == Question.EVERYTHING) {
      return other.everything(shape, budget);
    }
    return plan.flatMap(answer -> other.rewrite(shape, Set.copyOf(answer.slices()), budget));
  }

  /** Slices of the shape. */
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
