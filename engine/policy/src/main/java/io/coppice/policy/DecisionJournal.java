// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.policy;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
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

  /**
   * That a tuner put another policy in force.
   *
   * @param family the key space it is about
   * @param after the sequence number of the last decision before it
   * @param made what and why
   */
  public record FamilySwitch(String family, long after, Switch made) {}

  private final int maxDecisions;
  private final int maxSlices;
  // Guarded by this.
  private final Deque<Decision> decisions = new ArrayDeque<>();

  /** By family. */
  private final Map<String, Decision> last = new HashMap<>();

  private final Deque<FamilySwitch> switches = new ArrayDeque<>();

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

  /** As the other of this name, of a host that has one key space. */
  public void note(
      PolicySpec policy,
      Decision.Question question,
      Shape shape,
      Budget budget,
      Optional<Plan> plan) {
    note(Decision.DEFAULT_FAMILY, policy, question, shape, budget, plan);
  }

  /**
   * Notes a decision about a family. One that repeats the family's last, on an equal shape, is
   * noted once.
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
    // The shape last: it is the one that costs.
    return before != null
        && before.plan().equals(decision.plan())
        && before.question() == decision.question()
        && before.budget().equals(decision.budget())
        && before.policy().equals(decision.policy())
        && before.shape().equals(decision.shape());
  }

  /** Notes a switch; as many are kept as decisions. */
  public synchronized void note(String family, Switch made) {
    switches.addLast(new FamilySwitch(family, sequence, made));
    if (switches.size() > maxDecisions) {
      switches.removeFirst();
    }
  }

  /** The switches kept, oldest first. */
  public synchronized List<FamilySwitch> switches() {
    return List.copyOf(switches);
  }

  /** Forgets what a family's last decision was, once it is gone. */
  public synchronized void forget(String family) {
    last.remove(family);
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
