// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.policy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;

import io.coppice.policy.spec.PolicyLimits;
import io.coppice.policy.spec.PolicyOption;
import io.coppice.policy.spec.PolicySpec;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BiFunction;
import java.util.function.LongFunction;
import java.util.function.Predicate;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** The contract has teeth: policies with one fault each are caught, by the law that forbids it. */
class PolicyMutantsTest {

  private static final int SEEDS = 60;
  private static final Policy FOREST = PolicyTrial.policy("split-forest,fanout=3");
  private static final Policy LEVELED =
      PolicyTrial.policy("leveled,fanout=3,l0_trigger=2,base_size=16384");
  private static final Policy TIERED = PolicyTrial.policy("tiered,trigger=3");
  private static final Policy GROUPED = PolicyTrial.policy("grouped,groups=3");
  private static final Policy DELAYED =
      PolicyTrial.policy("delayed,fanout=3,l0_trigger=2,base_size=16384,vct=6,vsmt=3");

  /** A right policy, for overriding one answer. */
  private static class Faulty implements Policy {

    final Policy right;

    Faulty(Policy right) {
      this.right = right;
    }

    @Override
    public Optional<Plan> next(Shape shape, Budget budget) {
      return right.next(shape, budget);
    }

    @Override
    public Backlog backlog(Shape shape) {
      return right.backlog(shape);
    }

    @Override
    public Optional<Plan> everything(Shape shape, Budget budget) {
      return right.everything(shape, budget);
    }

    @Override
    public Optional<Plan> rewrite(Shape shape, Set<Long> slices, Budget budget) {
      return right.rewrite(shape, slices, budget);
    }
  }

  static Stream<Arguments> mutants() {
    return Stream.of(
        forest(
            "leaves the oldest input of a merge behind", Set.of(3), PolicyMutantsTest::newerOnly),
        leveled("leaves out what level 1 holds", Set.of(8), PolicyMutantsTest::withoutTheTarget),
        forest("moves instead of merging", Set.of(4), PolicyMutantsTest::moved),
        forest("names a slice twice", Set.of(2), PolicyMutantsTest::doubled),
        leveled("names a slice that is gone", Set.of(2), PolicyMutantsTest::ghost),
        forest("drops below the next level", Set.of(8), PolicyMutantsTest::twoDeeper),
        forest("joins the oldest run", Set.of(3, 4, 8), PolicyMutantsTest::underTheOthers),
        forest("forgets a source", Set.of(3), PolicyMutantsTest::fewerSources),
        forest("names slices oldest first", Set.of(1), PolicyMutantsTest::reversed),
        leveled("starts a second run beside level 1", Set.of(3), PolicyMutantsTest::ownRun),
        spoilt("skips the middle run", Set.of(3), TIERED, SpoiltPlans::withoutTheMiddle),
        spoilt("merges the newest groups", Set.of(3, 8), GROUPED, PolicyMutantsTest::newerOnly),
        spoilt("tears a virtual segment", Set.of(5, 8), DELAYED, SpoiltPlans::torn),
        spoilt("delays over what stays", Set.of(3, 8), DELAYED, SpoiltPlans::withoutTheOldest),
        Arguments.of("drops what holds data", Set.of(6), dropping(slice -> true)),
        Arguments.of(
            "drops deletions that hide something",
            Set.of(6),
            dropping(SliceFacts::hasTombstonesOnly)),
        forest("names more runs than there are", Set.of(11), SpoiltPlans::boasting),
        leveled("says a sentence without its numbers", Set.of(11), SpoiltPlans::vague),
        leveled("forecasts half of what it reads", Set.of(11), SpoiltPlans::understated),
        spoilt("weighs tables that are gone", Set.of(11), TIERED, SpoiltPlans::ghostChoice),
        Arguments.of("plans claimed slices", Set.of(2), blindTo(true, false)),
        Arguments.of("does not see jobs", Set.of(3, 4, 6, 8), blindTo(false, true)),
        Arguments.of("ignores the budget", Set.of(7), spendthrift()),
        Arguments.of("answers at random", Set.of(1, 9), fickle()),
        Arguments.of("plans without a backlog", Set.of(9), withoutBacklog()),
        Arguments.of("has a backlog but no plan", Set.of(9), idle()),
        Arguments.of("never comes to rest", Set.of(9), restless()),
        Arguments.of("ends a major compaction early", Set.of(9), halfMajor()));
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("mutants")
  void isCaught(String fault, Set<Integer> laws, Policy mutant) {
    for (long seed = 0; seed < SEEDS; seed++) {
      for (MergeRule rule : MergeRule.values()) {
        try {
          new PolicyTrial(mutant, rule, seed).live(60).rest().live(20).major();
        } catch (AssertionError caught) {
          assertThat(laws)
              .as(caught.getMessage())
              .anyMatch(law -> caught.getMessage().matches("(?s).*\\blaw " + law + "\\b.*"));
          return;
        }
      }
    }
    fail("a policy that " + fault + " was not caught");
  }

  @Test
  void whatCostsMoreThanItsPageSaysIsCaught() {
    // Three stages below the flushes, as each byte is written once a stage.
    assertThat(CostLaw.broken(costed("split-forest,fanout=4"), 1, 4)).isEmpty();
    assertThat(CostLaw.broken(costed("split-forest,fanout=2"), 1, 4).orElseThrow())
        .startsWith("law 10: uniform load costs 7");
    assertThat(CostLaw.broken(mergingAll(costed("split-forest,fanout=4")), 1, 4).orElseThrow())
        .startsWith("law 10: sequential load costs");
  }

  @Test
  void textThatDoesNotReadBackIsCaught() {
    for (String name : PolicySpec.policyNames()) {
      for (PolicyOption option : PolicySpec.options(name, PolicyLimits.ENGINE)) {
        assertThat(unreadable(option, option::format)).as(name).isEmpty();
      }
    }
    PolicyOption size = option("leveled", "table_size");
    assertThat(unreadable(size, bytes -> (bytes >> 10) + "KiB")).contains(size.min() + 1);
    PolicyOption ratio = option("delayed", "max_pinned_ratio");
    assertThat(unreadable(ratio, Long::toString)).contains(ratio.min() + 1);
  }

  /** Law 12: the first value near an end of the range that is read back as another, or not. */
  private static Optional<Long> unreadable(PolicyOption option, LongFunction<String> format) {
    return LongStream.of(option.min(), option.min() + 1, option.defaultValue(), option.max())
        .filter(value -> value <= option.max())
        .filter(value -> option.parse(format.apply(value)).orElse(-1) != value)
        .boxed()
        .findFirst();
  }

  private static PolicyOption option(String policy, String name) {
    return PolicySpec.options(policy, PolicyLimits.ENGINE).stream()
        .filter(option -> option.name().equals(name))
        .findFirst()
        .orElseThrow();
  }

  private static Policy costed(String text) {
    long tableBytes = (long) CostLaw.ENTRIES_PER_TABLE * Workload.ENTRY_BYTES;
    return PolicySpec.parse(text, new PolicyLimits(tableBytes, 1, 1L << 40, 30, false)).policy();
  }

  /** Merges what the right one moves. */
  private static Policy mergingAll(Policy right) {
    return new Faulty(right) {
      @Override
      public Optional<Plan> next(Shape shape, Budget budget) {
        return right.next(shape, budget).map(plan -> merged(shape, plan));
      }

      private Plan merged(Shape shape, Plan plan) {
        return plan instanceof Plan.Move move && shape.rule() == MergeRule.ADJACENT
            ? new Plan.Merge(move.slices(), move.target(), 0, move.reason())
            : plan;
      }
    };
  }

  private static Policy dropping(Predicate<SliceFacts> kind) {
    return new Faulty(LEVELED) {
      @Override
      public Optional<Plan> next(Shape shape, Budget budget) {
        return SpoiltPlans.drop(shape, kind).or(() -> right.next(shape, budget));
      }

      @Override
      public Backlog backlog(Shape shape) {
        return SpoiltPlans.drop(shape.unclaimed(), kind).isPresent()
            ? new Backlog(0, 1, 0)
            : right.backlog(shape);
      }
    };
  }

  private static Arguments forest(
      String fault, Set<Integer> laws, BiFunction<Shape, Plan, Plan> spoil) {
    return spoilt(fault, laws, FOREST, spoil);
  }

  private static Arguments leveled(
      String fault, Set<Integer> laws, BiFunction<Shape, Plan, Plan> spoil) {
    return spoilt(fault, laws, LEVELED, spoil);
  }

  private static Arguments spoilt(
      String fault, Set<Integer> laws, Policy right, BiFunction<Shape, Plan, Plan> spoil) {
    return Arguments.of(
        fault,
        laws,
        new Faulty(right) {
          @Override
          public Optional<Plan> next(Shape shape, Budget budget) {
            return right
                .next(shape, budget)
                .map(plan -> plan instanceof Plan.Placing ? spoil.apply(shape, plan) : plan);
          }
        });
  }

  private static Target target(Plan plan) {
    return ((Plan.Placing) plan).target();
  }

  private static Plan newerOnly(Shape shape, Plan plan) {
    List<Long> slices = plan.slices();
    boolean merge =
        plan instanceof Plan.Merge && shape.rule() == MergeRule.ADJACENT && slices.size() > 1;
    return merge ? SpoiltPlans.merge(shape, plan, slices.subList(0, slices.size() - 1)) : plan;
  }

  private static Plan withoutTheTarget(Shape shape, Plan plan) {
    List<Long> slices = new ArrayList<>(plan.slices());
    for (RunFacts run : shape.levels().get(0).runs()) {
      run.segments().forEach(segment -> slices.remove(segment.slices().get(0).slice()));
    }
    List<Long> kept = new ArrayList<>(plan.slices());
    kept.removeAll(slices);
    boolean down = plan instanceof Plan.Merge && target(plan).level() == 1 && !kept.isEmpty();
    return down ? with(plan, kept, target(plan)) : plan;
  }

  private static Plan moved(Shape shape, Plan plan) {
    return new Plan.Move(plan.slices(), target(plan), plan.reason());
  }

  private static Plan doubled(Shape shape, Plan plan) {
    List<Long> slices = new ArrayList<>(plan.slices());
    slices.add(slices.get(0));
    return with(plan, slices, target(plan));
  }

  private static Plan ghost(Shape shape, Plan plan) {
    List<Long> slices = new ArrayList<>(plan.slices());
    slices.add(Long.MAX_VALUE);
    return with(plan, slices, target(plan));
  }

  private static Plan twoDeeper(Shape shape, Plan plan) {
    return target(plan).isNew()
        ? with(plan, plan.slices(), Target.newest(shape.levels().size() + 1))
        : plan;
  }

  private static Plan underTheOthers(Shape shape, Plan plan) {
    int level = target(plan).level();
    if (shape.rule() == MergeRule.FREE || level >= shape.levels().size()) {
      return plan;
    }
    List<RunFacts> runs = shape.levels().get(level).runs();
    return runs.size() < 2
        ? plan
        : with(plan, plan.slices(), Target.join(level, runs.get(runs.size() - 1).id()));
  }

  private static Plan fewerSources(Shape shape, Plan plan) {
    List<Long> sources = target(plan).sources().stream().sorted().skip(1).toList();
    return sources.isEmpty()
        ? plan
        : with(plan, plan.slices(), Target.newest(target(plan).level(), Set.copyOf(sources)));
  }

  private static Plan reversed(Shape shape, Plan plan) {
    List<Long> slices = new ArrayList<>(plan.slices());
    Collections.reverse(slices);
    return with(plan, slices, target(plan));
  }

  /** Takes the level-0 part of a merge to a new run of level 2, past what level 1 holds. */
  private static Plan ownRun(Shape shape, Plan plan) {
    Plan bare = withoutTheTarget(shape, plan);
    boolean past = !bare.equals(plan) && shape.levels().size() > 2;
    return past ? with(plan, bare.slices(), Target.newest(2)) : plan;
  }

  private static Plan with(Plan plan, List<Long> slices, Target target) {
    return plan instanceof Plan.Move
        ? new Plan.Move(slices, target, plan.reason())
        : new Plan.Merge(slices, target, ((Plan.Merge) plan).cleaningThreshold(), plan.reason());
  }

  private static Policy blindTo(boolean claims, boolean jobs) {
    return new Faulty(FOREST) {
      @Override
      public Optional<Plan> next(Shape shape, Budget budget) {
        return right.next(seen(shape), budget);
      }

      @Override
      public Optional<Plan> everything(Shape shape, Budget budget) {
        return right.everything(seen(shape), budget);
      }

      private Shape seen(Shape shape) {
        List<LevelFacts> levels = claims ? shape.unclaimed().levels() : shape.levels();
        return new Shape(shape.rule(), levels, jobs ? List.of() : shape.runningPlans());
      }
    };
  }

  private static Policy spendthrift() {
    return new Faulty(FOREST) {
      @Override
      public Optional<Plan> next(Shape shape, Budget budget) {
        return right.next(shape, Budget.unlimited());
      }
    };
  }

  private static Policy fickle() {
    AtomicInteger asked = new AtomicInteger();
    return new Faulty(FOREST) {
      @Override
      public Optional<Plan> next(Shape shape, Budget budget) {
        return (asked.getAndIncrement() % 2 == 0 ? FOREST : LEVELED).next(shape, budget);
      }
    };
  }

  private static Policy withoutBacklog() {
    return new Faulty(LEVELED) {
      @Override
      public Backlog backlog(Shape shape) {
        return Backlog.NONE;
      }
    };
  }

  private static Policy idle() {
    return new Faulty(FOREST) {
      @Override
      public Optional<Plan> next(Shape shape, Budget budget) {
        return Optional.empty();
      }
    };
  }

  /** Merges the first table into its own place, again and again. */
  private static Policy restless() {
    return new Faulty(FOREST) {
      @Override
      public Optional<Plan> next(Shape shape, Budget budget) {
        if (budget.equals(Budget.unlimited()) && shape.runningPlans().isEmpty()) {
          for (int level = 0; level < shape.levels().size(); level++) {
            for (RunFacts run : shape.levels().get(level).runs()) {
              if (!run.segments().isEmpty()) {
                return Optional.of(again(level, run));
              }
            }
          }
        }
        return Optional.empty();
      }

      @Override
      public Backlog backlog(Shape shape) {
        boolean wanted = next(shape.unclaimed(), Budget.unlimited()).isPresent();
        return wanted ? new Backlog(1, 1, 1) : Backlog.NONE;
      }

      private Plan again(int level, RunFacts run) {
        long slice = run.segments().get(0).slices().get(0).slice();
        long bytes = run.segments().get(0).bytes();
        Reason reason =
            Reason.of("restless", "no reason").costing(new PlanCost(bytes, bytes, bytes));
        return new Plan.Merge(List.of(slice), Target.join(level, run.id()), 0, reason);
      }
    };
  }

  private static Policy halfMajor() {
    return new Faulty(FOREST) {
      @Override
      public Optional<Plan> everything(Shape shape, Budget budget) {
        return right.everything(shape, budget).filter(Plan.Move.class::isInstance);
      }
    };
  }
}
