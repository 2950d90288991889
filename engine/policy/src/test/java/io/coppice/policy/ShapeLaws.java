// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.policy;

import io.coppice.policy.check.PlanCheck;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * The laws that one question about one Shape can break, as {@code
 * docs/explanation/policy-contract.md} numbers them: all but those of a life, which are progress
 * and cost.
 *
 * @param policy on trial
 * @param budget of the question
 * @param everything true for a major compaction
 * @param maxLevel the deepest level of the host
 */
public record ShapeLaws(Policy policy, Budget budget, boolean everything, int maxLevel) {

  /** A broken law, as {@code law 3: how}. */
  record Broken(String law) {
    /** The part before the colon. */
    String number() {
      return law.substring(0, law.indexOf(':'));
    }
  }

  /** What the policy answers. */
  Optional<Plan> plan(Shape shape) {
    return everything ? policy.everything(shape, budget) : policy.next(shape, budget);
  }

  /** The first law that the answer breaks. */
  Optional<Broken> broken(Shape shape) {
    Optional<Plan> plan = plan(shape);
    Optional<Plan> again = plan(shape);
    if (!plan.equals(again)) {
      return law(1, "first " + plan + ", then " + again);
    }
    return plan.flatMap(
        found ->
            PlanCheck.fault(shape, found, budget, maxLevel)
                .map(Broken::new)
                .or(() -> slot())
                .or(() -> order(shape, found))
                .or(() -> reason(shape, found)));
  }

  private Optional<Broken> slot() {
    return budget.freeSlots() > 0 ? Optional.empty() : law(7, "planned without a slot");
  }

  private static Optional<Broken> order(Shape shape, Plan plan) {
    List<Long> ordered = new ArrayList<>();
    slices(shape).forEach(slice -> ordered.add(slice.slice()));
    ordered.retainAll(new HashSet<>(plan.slices()));
    return ordered.equals(plan.slices())
        ? Optional.empty()
        : law(1, "slices " + plan.slices() + " in another order than " + ordered);
  }

  /** The numbers of a reason are the Shape's, and its sentence says them. */
  private static Optional<Broken> reason(Shape shape, Plan plan) {
    Reason reason = plan.reason();
    for (Map.Entry<String, Long> number : reason.numbers().entrySet()) {
      if (!reason.sentence().contains(number.getValue().toString())) {
        return law(11, "'" + reason.sentence() + "' does not say " + number);
      }
      if (number.getValue() > most(shape, number.getKey())) {
        return law(11, number + " is more than the shape has: " + reason.sentence());
      }
    }
    Set<Long> known = new HashSet<>();
    slices(shape).forEach(slice -> known.add(slice.slice()));
    for (Reason.Candidate candidate : reason.candidates()) {
      if (!known.contains(candidate.slice())) {
        return law(11, "candidate " + candidate + " is not in the shape");
      }
    }
    if (reason.candidates().size() > Reason.MAX_CANDIDATES || reason.sentence().contains("{")) {
      return law(11, reason.toString());
    }
    return forecast(shape, plan);
  }

  /** The most that a number of that name can be. */
  private static long most(Shape shape, String name) {
    return switch (name) {
      case "level" -> shape.levels().size();
      case "runs", "trees", "groups" ->
          shape.levels().stream().mapToLong(level -> level.runs().size()).sum();
      case "tables" -> slices(shape).size();
      case "bytes", "newer", "oldest", "last" -> shape.bytes();
      default -> Long.MAX_VALUE;
    };
  }

  private static Optional<Broken> forecast(Shape shape, Plan plan) {
    long bytes = 0;
    for (SliceFacts slice : slices(shape)) {
      bytes += plan.slices().contains(slice.slice()) ? slice.bytes() : 0;
    }
    PlanCost cost = plan.reason().cost();
    boolean honest =
        plan instanceof Plan.Merge
            ? cost.readBytes() == bytes
                && cost.writeBytes() <= bytes
                && cost.transientBytes() <= bytes
            : cost.equals(PlanCost.FREE_OF_COST);
    return honest ? Optional.empty() : law(11, cost + ", but the inputs have " + bytes);
  }

  /** All slices, newest run first. */
  public static List<SliceFacts> slices(Shape shape) {
    List<SliceFacts> slices = new ArrayList<>();
    for (LevelFacts level : shape.levels()) {
      for (RunFacts run : level.runs()) {
        run.segments().forEach(segment -> slices.addAll(segment.slices()));
      }
    }
    return slices;
  }

  private static Optional<Broken> law(int law, String how) {
    return Optional.of(new Broken("law " + law + ": " + how));
  }
}
