// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.tool.format;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.coppice.policy.Budget;
import io.coppice.policy.LevelFacts;
import io.coppice.policy.MergeRule;
import io.coppice.policy.Plan;
import io.coppice.policy.PlanCost;
import io.coppice.policy.Reason;
import io.coppice.policy.RunFacts;
import io.coppice.policy.SegmentFacts;
import io.coppice.policy.Shape;
import io.coppice.policy.SliceFacts;
import io.coppice.policy.Target;
import io.coppice.policy.observe.Decision;
import io.coppice.policy.spec.PolicySpec;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;

class JournalCodecTest {

  private static final Reason REASON =
      new Reason(
          "some-code",
          Map.of("level", 1L),
          "L1 is \"full\"",
          List.of(new Reason.Candidate(7, 0.1), new Reason.Candidate(8, Double.POSITIVE_INFINITY)),
          new PlanCost(1, 2, Long.MAX_VALUE));

  /** Everything that a shape can say, once. */
  private static Shape shape() {
    SliceFacts cut = new SliceFacts(9, 4, 2, 5, 100, 10, 3, 400, true);
    SegmentFacts drawn = new SegmentFacts(List.of(SliceFacts.whole(7, 2, 6, 50, 5), cut), 77, 3);
    RunFacts making = new RunFacts(1, List.of(), Set.of(2L, 3L));
    RunFacts run =
        new RunFacts(2, List.of(SegmentFacts.of(SliceFacts.whole(8, 0, 1, 5, 1)), drawn), Set.of());
    return new Shape(
        MergeRule.ADJACENT,
        List.of(new LevelFacts(List.of()), new LevelFacts(List.of(making, run))),
        List.of(new Shape.RunningPlan(1, 1, 0, 9)),
        Set.of(77L));
  }

  private static Decision decision(Decision.Question question, Optional<Plan> plan) {
    return new Decision(
        12,
        "users",
        PolicySpec.parse("leveled,fanout=7"),
        question,
        shape(),
        question == Decision.Question.NEXT ? new Budget(2, 1000, 3000, 77) : new Budget(2, 1000),
        plan);
  }

  @Test
  void everyDecisionReadsBackAsItWas() {
    List<Plan> plans =
        List.of(
            new Plan.Move(List.of(8L, 7L), Target.join(1, 2), REASON),
            new Plan.Delay(List.of(7L), Target.newest(2), 4, REASON),
            new Plan.Delay(List.of(7L), Target.join(1, 2), 2, 9, REASON),
            new Plan.Merge(List.of(7L, 9L), Target.newest(1, Set.of(2L, 5L)), 10, REASON),
            new Plan.Drop(List.of(9L), REASON));
    for (Plan plan : plans) {
      Decision decision = decision(Decision.Question.NEXT, Optional.of(plan));
      String line = JournalCodec.line(decision);
      assertThat(line).doesNotContain("\n");
      assertThat(JournalCodec.decision(line)).as(line).isEqualTo(decision);
    }
    Decision nothing = decision(Decision.Question.EVERYTHING, Optional.empty());
    assertThat(JournalCodec.decision(JournalCodec.line(nothing))).isEqualTo(nothing);
  }

  @Test
  void aLineIsWhatItIsPublishedToBe() {
    Shape shape =
        new Shape(
            MergeRule.FREE,
            List.of(
                new LevelFacts(
                    List.of(
                        new RunFacts(
                            1,
                            List.of(SegmentFacts.of(SliceFacts.whole(7, 0, 1, 50, 5))),
                            Set.of())))),
            List.of());
    Decision decision =
        new Decision(
            1,
            Decision.DEFAULT_FAMILY,
            PolicySpec.parse("leveled"),
            Decision.Question.NEXT,
            shape,
            new Budget(1, 1000),
            Optional.empty());
    assertThat(JournalCodec.line(decision))
        .endsWith(
            "\"question\":\"next\",\"budget\":{\"free_slots\":1,\"transient_bytes\":1000},"
                + "\"shape\":{\"rule\":\"free\",\"levels\":[{\"runs\":[{\"id\":1,\"segments\":["
                + "{\"slices\":[{\"slice\":7,\"low\":0,\"high\":1,\"bytes\":50,\"entries\":5}]}"
                + "]}]}]},\"plan\":null}");
  }

  @Test
  void whatIsMissingOrOfTheWrongKindIsNamed() {
    String line = JournalCodec.line(decision(Decision.Question.NEXT, Optional.empty()));
    refused("{", "it is not JSON");
    refused("[]", "decision must be an object");
    refused(line.replace("\"shape\"", "\"sheep\""), "decision: 'shape' must be there");
    refused(line.replace("\"low\":2", "\"low\":\"a\""), "'low' must be a whole number");
    refused(line.replace("\"next\"", "\"nxt\""), "decision: 'question' is nxt");
    refused(line.replace("leveled,", "levelled,"), "did you mean 'leveled'?");
  }

  private static void refused(String line, String why) {
    assertThatThrownBy(() -> JournalCodec.decision(line))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining(why);
  }
}
