// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.policy.observe;

import io.coppice.policy.Budget;
import io.coppice.policy.Plan;
import io.coppice.policy.Policy;
import io.coppice.policy.Shape;
import io.coppice.policy.spec.PolicySpec;
import io.coppice.policy.tuner.RungSwitch;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;

/**
 * In-memory journal of the last decisions of a store, each with its shape and budget. Equal inputs
 * give equal plans, so a decision can be explained and replayed under a changed policy. In-place
 * rewrites are replayed from their answers, because the journal lacks the slices that were to be
 * rewritten. Two bounds apply: the number of decisions and the slices of their shapes. The newest
 * decision always stays. Thread-safe.
 */
public final class DecisionJournal {

  /**
   * A decision that a policy answers differently today.
   *
   * @param decision the recorded decision
   * @param today the answer of today, empty if it is no plan
   */
  public record Difference(Decision decision, Optional<Plan> today) {}

  /**
   * A policy switch by a tuner in one family.
   *
   * @param family the key space of the switch
   * @param after the sequence number of the journal's last decision before it, 0 if there was none
   * @param made the switch with its reason
   */
  public record FamilySwitch(String family, long after, RungSwitch made) {}

  private final int maxDecisions;
  private final int maxSlices;
  // Guarded by this.
  private final Deque<Decision> decisions = new ArrayDeque<>();

  /** Last decision by family, guarded by this. */
  private final Map<String, Decision> last = new HashMap<>();

  private final Deque<FamilySwitch> switches = new ArrayDeque<>();

  private long sequence;
  private long slices;

  /**
   * Creates an empty journal.
   *
   * @param maxDecisions decisions kept, at least 1
   * @param maxSlices slices of all kept shapes together, at least 1; each takes about 150 bytes of
   *     heap
   * @throws IllegalArgumentException if a bound is below 1
   */
  public DecisionJournal(int maxDecisions, int maxSlices) {
    if (maxDecisions < 1 || maxSlices < 1) {
      throw new IllegalArgumentException(
          "maxDecisions (%s) and maxSlices (%s) must be at least 1"
              .formatted(maxDecisions, maxSlices));
    }
    this.maxDecisions = maxDecisions;
    this.maxSlices = maxSlices;
  }

  /**
   * Records a decision of a host with one key space, as a decision about {@link
   * Decision#DEFAULT_FAMILY}.
   */
  public void note(
      PolicySpec policy,
      Decision.Question question,
      Shape shape,
      Budget budget,
      Optional<Plan> plan) {
    note(Decision.DEFAULT_FAMILY, policy, question, shape, budget, plan);
  }

  /**
   * Records a decision about a family. A decision that repeats the family's last one, on an equal
   * shape, is ignored.
   */
  public synchronized void note(
      String family,
      PolicySpec policy,
      Decision.Question question,
      Shape shape,
      Budget budget,
      Optional<Plan> plan) {
    Decision decision = new Decision(sequence + 1, family, policy, question, shape, budget, plan);
    if (repeats(decision)) {
      return;
    }
    last.put(family, decision);
    sequence++;
    decisions.addLast(decision);
    slices += decision.slices();
    while (decisions.size() > maxDecisions || (slices > maxSlices && decisions.size() > 1)) {
      slices -= decisions.removeFirst().slices();
    }
  }

  private boolean repeats(Decision decision) {
    Decision before = last.get(decision.family());
    // The comparison of shapes is the expensive one and therefore last.
    return before != null
        && before.plan().equals(decision.plan())
        && before.question() == decision.question()
        && before.budget().equals(decision.budget())
        && before.policy().equals(decision.policy())
        && before.shape().equals(decision.shape());
  }

  /** Records a policy switch. The journal keeps as many switches as decisions. */
  public synchronized void note(String family, RungSwitch made) {
    switches.addLast(new FamilySwitch(family, sequence, made));
    if (switches.size() > maxDecisions) {
      switches.removeFirst();
    }
  }

  /** Returns the kept switches, oldest first. */
  public synchronized List<FamilySwitch> switches() {
    return List.copyOf(switches);
  }

  /**
   * Removes the last decision of a dropped family. A new family with the same name then starts
   * without a decision to compare with.
   */
  public synchronized void forget(String family) {
    last.remove(family);
  }

  /** Returns the kept decisions, oldest first. */
  public synchronized List<Decision> decisions() {
    return List.copyOf(decisions);
  }

  /**
   * Repeats the requests, up to the first one with a different answer, and returns that one. The
   * result is empty if all answers, with their reasons, are unchanged.
   *
   * @param decisions decisions in the order to ask
   * @param policies makes the policy that answers today; {@link PolicySpec#policy} asks the same
   *     policies again
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
