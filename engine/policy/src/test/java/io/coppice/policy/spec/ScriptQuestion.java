// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.policy.spec;

import io.coppice.policy.Backlog;
import io.coppice.policy.Budget;
import io.coppice.policy.MergeRule;
import io.coppice.policy.Plan;
import io.coppice.policy.Policy;
import io.coppice.policy.RunFacts;
import io.coppice.policy.Shape;
import io.coppice.policy.Target;
import io.coppice.policy.check.PlanCheck;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.function.LongFunction;
import java.util.stream.Collectors;

/**
 * A question of a script.
 *
 * @param kind what is asked
 * @param text the policy, in the text form of {@link PolicySpec}; of a proposal the plan
 * @param budget what the policy or the plan may use
 */
public record ScriptQuestion(Kind kind, String text, Budget budget) {

  /** What a script can ask. */
  public enum Kind {
    /** {@link Policy#next}. */
    PLAN,
    /** {@link Policy#everything}. */
    EVERYTHING,
    /** {@link Policy#backlog}. */
    BACKLOG,
    /** {@link PlanCheck#fault}. */
    PROPOSE
  }

  /** Scripts draw tables of a few MiB, and levels as deep as Cassandra has them. */
  public static final PolicyLimits LIMITS = new PolicyLimits(4L << 20, 1, 1L << 40, 8, false);

  /** The policy. */
  public Policy policy() {
    return PolicySpec.parse(text, LIMITS).policy();
  }

  /**
   * Asks about a Shape and prints the answer: one form for all hosts.
   *
   * @param tableNames names of slices as drawn, {@code t8}
   */
  public String answer(Shape shape, LongFunction<String> tableNames) {
    if (kind == Kind.PROPOSE) {
      return new Proposal(shape, tableNames).verdict(text, budget, LIMITS.maxLevel());
    }
    if (kind == Kind.BACKLOG) {
      Backlog backlog = policy().backlog(shape);
      return backlog.equals(Backlog.NONE)
          ? "none"
          : "plans "
              + backlog.plans()
              + ", bytes "
              + SizeText.format(backlog.bytes())
              + ", headroom "
              + SizeText.format(backlog.headroomBytes());
    }
    Optional<Plan> plan =
        kind == Kind.PLAN ? policy().next(shape, budget) : policy().everything(shape, budget);
    plan.ifPresent(found -> PlanCheck.check(shape, found, budget, LIMITS.maxLevel()));
    return plan.map(found -> print(shape, found, tableNames)).orElse("none");
  }

  private static String print(Shape shape, Plan plan, LongFunction<String> tableNames) {
    String verb = plan.getClass().getSimpleName().toLowerCase(Locale.ROOT);
    String tables = plan.slices().stream().map(tableNames::apply).collect(Collectors.joining(" "));
    return verb
        + " "
        + tables
        + " -> "
        + (plan instanceof Plan.Placing placing ? print(shape, placing.target()) : "nothing")
        + (plan instanceof Plan.Delay delay && shape.rule() == MergeRule.ADJACENT
            ? delay.stays()
                ? " after " + tableNames.apply(delay.after())
                : " in " + delay.segments() + " segments"
            : "")
        + "\nbecause "
        + plan.reason().sentence();
  }

  /**
   * The level; under ADJACENT also whether the run is new and how many runs feed it, or which run
   * is joined where there are several. Under FREE a host sees the level only.
   */
  private static String print(Shape shape, Target target) {
    String level = "L" + target.level();
    if (shape.rule() == MergeRule.FREE) {
      return level;
    }
    if (target.isNew()) {
      int sources = target.sources().size();
      return level + " new" + (sources == 0 ? "" : " from " + sources + " runs");
    }
    List<RunFacts> runs = shape.levels().get(target.level()).runs();
    if (runs.size() == 1) {
      return level;
    }
    int place = runs.stream().map(RunFacts::id).toList().indexOf(target.run());
    return level + " run " + (place + 1) + " of " + runs.size();
  }

  static Optional<Kind> kind(String word) {
    return Arrays.stream(Kind.values())
        .filter(kind -> kind.name().toLowerCase(Locale.ROOT).equals(word))
        .findFirst();
  }
}
