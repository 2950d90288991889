// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.policy;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Predicate;

/** Right plans with one fault each; a plan that cannot have it is handed back as it is. */
final class SpoiltPlans {

  private SpoiltPlans() {}

  /** Of three runs or more the second is left out. */
  static Plan withoutTheMiddle(Shape shape, Plan plan) {
    List<Long> runs = new ArrayList<>();
    Map<Long, Long> runOf = new HashMap<>();
    for (LevelFacts level : shape.levels()) {
      for (RunFacts run : level.runs()) {
        for (SegmentFacts segment : run.segments()) {
          for (SliceFacts slice : segment.slices()) {
            runOf.put(slice.slice(), run.id());
          }
        }
      }
    }
    plan.slices().stream().map(runOf::get).distinct().forEach(runs::add);
    List<Long> kept =
        plan.slices().stream()
            .filter(slice -> !runOf.get(slice).equals(runs.get(1 % runs.size())))
            .toList();
    boolean fits = plan instanceof Plan.Merge && runs.size() > 2;
    return fits && shape.rule() == MergeRule.ADJACENT ? merge(shape, plan, kept) : plan;
  }

  /** A delay loses the oldest slice of a segment that has several. */
  static Plan torn(Shape shape, Plan plan) {
    for (LevelFacts level : shape.levels()) {
      for (RunFacts run : level.runs()) {
        for (SegmentFacts segment : run.segments()) {
          long oldest = segment.slices().get(segment.slices().size() - 1).slice();
          if (segment.slices().size() > 1 && plan.slices().contains(oldest)) {
            return plan instanceof Plan.Delay ? without(plan, oldest) : plan;
          }
        }
      }
    }
    return plan;
  }

  /** A delay loses its oldest slice. */
  static Plan withoutTheOldest(Shape shape, Plan plan) {
    List<Long> slices = plan.slices();
    return plan instanceof Plan.Delay && slices.size() > 1
        ? without(plan, slices.get(slices.size() - 1))
        : plan;
  }

  /** The reason counts runs that are not there. */
  static Plan boasting(Shape shape, Plan plan) {
    Map<String, Long> numbers = new HashMap<>(plan.reason().numbers());
    numbers.computeIfPresent("trees", (name, trees) -> trees + 1000);
    String sentence = plan.reason().sentence();
    for (Map.Entry<String, Long> number : numbers.entrySet()) {
      sentence += " " + number.getValue();
    }
    return because(plan, numbers, sentence, plan.reason().candidates());
  }

  /** The sentence says none of its numbers. */
  static Plan vague(Shape shape, Plan plan) {
    Reason reason = plan.reason();
    return because(plan, reason.numbers(), "it seemed right", reason.candidates());
  }

  /** The forecast reads half. */
  static Plan understated(Shape shape, Plan plan) {
    PlanCost cost = plan.reason().cost();
    PlanCost half =
        new PlanCost(cost.readBytes() / 2, cost.writeBytes() / 2, cost.transientBytes() / 2);
    return with(plan, plan.reason().costing(half));
  }

  /** What was weighed is no longer there. */
  static Plan ghostChoice(Shape shape, Plan plan) {
    Reason reason = plan.reason();
    List<Reason.Candidate> ghosts = List.of(new Reason.Candidate(Long.MAX_VALUE, 0));
    return because(plan, reason.numbers(), reason.sentence(), ghosts);
  }

  /** A drop of the first free slice of some kind, if there is one. */
  static Optional<Plan> drop(Shape shape, Predicate<SliceFacts> kind) {
    return ShapeLaws.slices(shape).stream()
        .filter(slice -> !slice.claimed())
        .filter(kind)
        .findFirst()
        .map(slice -> new Plan.Drop(List.of(slice.slice()), Reason.of("spoilt", "spoilt")));
  }

  private static Plan without(Plan plan, long slice) {
    List<Long> kept = plan.slices().stream().filter(id -> id != slice).toList();
    Plan.Delay delay = (Plan.Delay) plan;
    return new Plan.Delay(kept, delay.target(), delay.segments(), delay.reason());
  }

  /** A merge of other slices, its forecast true to them. */
  static Plan merge(Shape shape, Plan plan, List<Long> slices) {
    Plan.Merge merge = (Plan.Merge) plan;
    long bytes = 0;
    for (SliceFacts slice : ShapeLaws.slices(shape)) {
      bytes += slices.contains(slice.slice()) ? slice.bytes() : 0;
    }
    Reason reason = merge.reason().costing(new PlanCost(bytes, bytes, bytes));
    return new Plan.Merge(slices, merge.target(), 0, reason);
  }

  private static Plan because(
      Plan plan, Map<String, Long> numbers, String sentence, List<Reason.Candidate> candidates) {
    Reason reason = plan.reason();
    return with(plan, new Reason(reason.code(), numbers, sentence, candidates, reason.cost()));
  }

  private static Plan with(Plan plan, Reason reason) {
    if (plan instanceof Plan.Merge merge) {
      return new Plan.Merge(merge.slices(), merge.target(), merge.cleaningThreshold(), reason);
    }
    return plan instanceof Plan.Move move
        ? new Plan.Move(move.slices(), move.target(), reason)
        : plan;
  }
}
