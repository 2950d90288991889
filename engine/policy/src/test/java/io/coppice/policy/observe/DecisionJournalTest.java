// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.policy.observe;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.coppice.policy.Backlog;
import io.coppice.policy.Budget;
import io.coppice.policy.LevelFacts;
import io.coppice.policy.MergeRule;
import io.coppice.policy.Plan;
import io.coppice.policy.Policy;
import io.coppice.policy.RunFacts;
import io.coppice.policy.SegmentFacts;
import io.coppice.policy.Shape;
import io.coppice.policy.ShapeStore;
import io.coppice.policy.SliceFacts;
import io.coppice.policy.spec.PolicyLimits;
import io.coppice.policy.spec.PolicySpec;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class DecisionJournalTest {

  private static final int FLUSHES = 60;
  private static final int TABLE = 20;
  private static final int ENTRY_BYTES = 1024;
  private static final PolicyLimits LIMITS =
      new PolicyLimits(TABLE * ENTRY_BYTES, 1, 1L << 40, 30, true);

  static List<String> policies() {
    return PolicySpec.policyNames();
  }

  @ParameterizedTest
  @MethodSource("policies")
  void replaysToTheSameAnswers(String policy) {
    List<Decision> decisions = life(PolicySpec.parse(policy, LIMITS)).decisions();
    assertThat(decisions).hasSizeGreaterThan(FLUSHES);
    assertThat(decisions).anyMatch(decision -> decision.plan().isPresent());
    assertThat(decisions).anyMatch(decision -> decision.question() == Decision.Question.EVERYTHING);
    assertThat(DecisionJournal.replay(decisions, PolicySpec::policy)).isEmpty();
  }

  @ParameterizedTest
  @MethodSource("policies")
  void noticesAChangedPolicyAtItsFirstOtherAnswer(String policy) {
    List<Decision> decisions = life(PolicySpec.parse(policy, LIMITS)).decisions();
    List<Decision> plans = decisions.stream().filter(made -> made.plan().isPresent()).toList();
    for (int at = 0; at < plans.size(); at += 7) {
      Decision changed = plans.get(at);
      Optional<DecisionJournal.Difference> difference =
          DecisionJournal.replay(decisions, spec -> otherAt(changed, spec.policy()));
      assertThat(difference.orElseThrow().decision()).isSameAs(changed);
      assertThat(difference.orElseThrow().today()).isEmpty();
    }
  }

  @Test
  void noticesAnotherFanout() {
    DecisionJournal journal = life(PolicySpec.parse("split-forest,fanout=4", LIMITS));
    Policy wider = PolicySpec.parse("split-forest,fanout=5", LIMITS).policy();
    DecisionJournal.Difference difference =
        DecisionJournal.replay(journal.decisions(), spec -> wider).orElseThrow();
    // Three flushes were let lie by both; the fourth is the one that four trees start at.
    assertThat(difference.decision().shape().levels().get(0).runs()).hasSize(4);
    assertThat(difference.decision().plan().orElseThrow().reason().sentence())
        .isEqualTo("L0 has 4 trees, fanout is 4");
    assertThat(difference.today()).isEmpty();
  }

  @Test
  void keepsTheNewestWithinBothBounds() {
    PolicySpec spec = PolicySpec.parse("leveled");
    DecisionJournal journal = new DecisionJournal(3, 10);
    for (int slices = 1; slices <= 6; slices++) {
      note(journal, spec, shape(slices));
    }
    // Four and five and six slices are too many together; the newest stays whatever its size.
    assertThat(journal.decisions()).extracting(Decision::sequence).containsExactly(6L);
    note(journal, spec, shape(40));
    assertThat(journal.decisions()).extracting(Decision::sequence).containsExactly(7L);
    for (int i = 0; i < 5; i++) {
      note(journal, spec, shape(1 + i % 2));
    }
    assertThat(journal.decisions()).extracting(Decision::sequence).containsExactly(10L, 11L, 12L);
  }

  @Test
  void notesARepeatedQuestionOnce() {
    PolicySpec spec = PolicySpec.parse("leveled");
    DecisionJournal journal = new DecisionJournal(10, 100);
    note(journal, spec, shape(2));
    note(journal, spec, shape(2));
    note(journal, spec, shape(3));
    note(journal, PolicySpec.parse("split-forest"), shape(3));
    assertThat(journal.decisions()).extracting(Decision::sequence).containsExactly(1L, 2L, 3L);
  }

  @Test
  void refusesBoundsThatKeepNothing() {
    assertThatThrownBy(() -> new DecisionJournal(0, 5))
        .hasMessage("maxDecisions (0) and maxSlices (5) must be at least 1");
  }

  /** A store's life with a major compaction in the middle; every question is noted. */
  private static DecisionJournal life(PolicySpec spec) {
    DecisionJournal journal = new DecisionJournal(10_000, 1_000_000);
    ShapeStore store = new ShapeStore(MergeRule.ADJACENT, TABLE * ENTRY_BYTES, ENTRY_BYTES);
    for (int flush = 0; flush < FLUSHES; flush++) {
      store.flush(new Random(flush).ints(TABLE, 0, 2000).toArray());
      answer(spec, Decision.Question.NEXT, store, journal);
      if (flush == FLUSHES / 2) {
        answer(spec, Decision.Question.EVERYTHING, store, journal);
      }
    }
    return journal;
  }

  private static void answer(
      PolicySpec spec, Decision.Question question, ShapeStore store, DecisionJournal journal) {
    Optional<Plan> plan;
    do {
      Shape shape = store.shape();
      plan =
          question == Decision.Question.NEXT
              ? spec.policy().next(shape, Budget.unlimited())
              : spec.policy().everything(shape, Budget.unlimited());
      journal.note(spec, question, shape, Budget.unlimited(), plan);
      plan.ifPresent(store::apply);
    } while (plan.isPresent());
  }

  /** The same policy, but for one question. */
  private static Policy otherAt(Decision changed, Policy same) {
    return new Policy() {
      @Override
      public Optional<Plan> next(Shape shape, Budget budget) {
        return shape == changed.shape() ? Optional.empty() : same.next(shape, budget);
      }

      @Override
      public Backlog backlog(Shape shape) {
        return same.backlog(shape);
      }

      @Override
      public Optional<Plan> everything(Shape shape, Budget budget) {
        return shape == changed.shape() ? Optional.empty() : same.everything(shape, budget);
      }

      @Override
      public Optional<Plan> rewrite(Shape shape, Set<Long> slices, Budget budget) {
        return same.rewrite(shape, slices, budget);
      }
    };
  }

  private static void note(DecisionJournal journal, PolicySpec spec, Shape shape) {
    journal.note(spec, Decision.Question.NEXT, shape, Budget.unlimited(), Optional.empty());
  }

  private static Shape shape(int slices) {
    List<SegmentFacts> segments =
        IntStream.range(0, slices)
            .mapToObj(i -> SegmentFacts.of(SliceFacts.whole(i + 1, 2 * i, 2 * i + 1, 10, 1)))
            .toList();
    RunFacts run = new RunFacts(1, segments, Set.of());
    return new Shape(MergeRule.ADJACENT, List.of(new LevelFacts(List.of(run))), List.of());
  }
}
