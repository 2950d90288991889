// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.policy;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;

/**
 * The last decisions of a store, in memory, with all that a policy knew when it made them: same
 * shapes in, same plans out, so any of them can be explained and tried again under a changed
 * policy. Bounded by decisions and by the slices of their shapes, whichever comes first; the newest
 * decision always stays. Safe to share between threads.
 */
public final class DecisionJournal {

  /**
   * A decision that a policy makes otherwise today.
   *
   * @param decision as it was made
   * @param today the answer of today
   */
  public record Difference(Decision decision, Optional<Plan> today) {}

  private final int maxDecisions;
  private final int maxSlices;
  // Guarded by this.
  private final Deque<Decision> decisions = new ArrayDeque<>();
  private long sequence;
  private long slices;

  /**
   * An empty journal.
   *
   * @param maxDecisions decisions kept, at least 1
   * @param maxSlices slices of all their shapes together, about 150 bytes of heap each
   */
  public DecisionJournal(int maxDecisions, int maxSlices) {
    if (maxDecisions < 1 || maxSlices < 1) {
      throw new IllegalArgumentException(
          "maxDecisions ("
              + maxDecisions
              + ") and maxSlices ("
              + maxSlices
              + ") must be at least 1");
    }
    this.maxDecisions = maxDecisions;
    this.maxSlices = maxSlices;
  }

  /** Notes a decision. One that repeats the last, on an equal shape, is noted once. */
  public synchronized void note(
      PolicySpec policy,
      Decision.Question question,
      Shape shape,
      Budget budget,
      Optional<Plan> plan) {
    Decision decision = new Decision(sequence + 1, policy, question, shape, budget, plan);
    if (repeats(decision)) {
      return;
    }
    sequence++;
    decisions.addLast(decision);
    slices += decision.slices();
    while (decisions.size() > maxDecisions || (slices > maxSlices && decisions.size() > 1)) {
      slices -= decisions.removeFirst().slices();
    }
  }

  private boolean repeats(Decision decision) {
    Decision last = decisions.peekLast();
    // The shape last: it is the one that costs.
    return last != null
        && last.plan().equals(decision.plan())
        && last.question() == decision.question()
        && last.budget().equals(decision.budget())
        && last.policy().equals(decision.policy())
        && last.shape().equals(decision.shape());
  }

  /** The decisions kept, oldest first. */
  public synchronized List<Decision> decisions() {
    return List.copyOf(decisions);
  }

  /**
   * Asks every question again and returns the first that is answered otherwise; empty if all
   * answers, with their reasons, are what they were.
   *
   * @param decisions in the order to ask
   * @param policies what decides today; {@link PolicySpec#policy} asks the same policies again
   */
  public static Optional<Difference> replay(
      Iterable<Decision> decisions, Function<PolicySpec, Policy> policies) {
    for (Decision decision : decisions) {
      Optional<Plan> today = decision.ask(policies.apply(decision.policy()));
      if (!today.equals(decision.plan())) {
        return Optional.of(new Difference(decision, today));
      }
    }
    return Optional.empty();
  }
}
