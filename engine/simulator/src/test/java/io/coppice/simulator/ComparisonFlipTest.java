// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.simulator;

import static org.assertj.core.api.Assertions.assertThat;

import io.coppice.policy.spec.PolicySpec;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Every decision of a simulation comes from the policy: with one comparison of the policy's own
 * code spoilt, the simulated write amplification is another.
 */
class ComparisonFlipTest {

  /**
   * A policy.
   *
   * @param texts the policy, with options small enough for the load; further ones feed more of it
   * @param trigger the method that decides whether to begin, {@code Type.method}
   * @param parts the types that hold its decisions, itself first, below {@code io.coppice.policy}
   * @param neutral methods with comparisons that this load cannot feel, and why
   */
  private record Subject(
      List<String> texts, String trigger, List<String> parts, Map<String, String> neutral) {

    List<Comparison> comparisons() {
      try {
        List<Comparison> comparisons = new ArrayList<>();
        for (String part : parts) {
          Class<?> type = Class.forName("io.coppice.policy." + part);
          for (Class<?> member : type.getNestMembers()) {
            comparisons.addAll(Comparison.of(member.getName()));
          }
        }
        return comparisons;
      } catch (ClassNotFoundException e) {
        throw new AssertionError(e);
      }
    }

    @Override
    public String toString() {
      return texts.get(0);
    }
  }

  static Stream<Subject> subjects() {
    return Stream.of(
        new Subject(
            List.of("leveled,fanout=4,l0_trigger=5"),
            "LeveledPolicy.levelZero",
            List.of(
                "policies.LeveledPolicy",
                "policies.LevelZeroPicker",
                "policies.OversizedLevelPicker"),
            Map.of(
                "LeveledPolicy.ofLevel",
                "only another policy leaves several runs in a level",
                "OversizedLevelPicker.apart",
                "only delayed keeps several runs in a level",
                "OversizedLevelPicker.leavingBytes",
                "plans follow one another, none is under way",
                "OversizedLevelPicker.narrowingMerge",
                "only delayed keeps several runs in a level",
                "OversizedLevelPicker.reason",
                "candidates are written down, not chosen from")),
        new Subject(
            List.of("tiered,trigger=4"),
            "TieredPolicy.pick",
            List.of("policies.TieredPolicy"),
            Map.of()),
        new Subject(
            List.of("delayed,fanout=4,l0_trigger=3,vct=6,vsmt=3,max_pinned_ratio=0.05"),
            "OutputLevel.mergeOrDelay",
            List.of(
                "policies.DelayedPolicy",
                "policies.OutputLevel",
                "pick.ReadTriggeredPicker",
                "pick.PinnedSpacePicker"),
            Map.of(
                "DelayedPolicy.deletions",
                "the load deletes nothing; DeletedSpaceTest has loads that do",
                "OutputLevel.new",
                "plans follow one another, none is under way")),
        new Subject(
            List.of("grouped,groups=3", "grouped,groups=3,last_level_leveled=true"),
            "GroupedPolicy.due",
            List.of("policies.GroupedPolicy"),
            Map.of()),
        new Subject(
            List.of("split-forest,fanout=3"),
            "SplitForestPolicy.due",
            List.of("policies.SplitForestPolicy"),
            Map.of(
                "SplitForestPolicy.stage",
                "plans follow one another, so one tree at most is in the making")),
        new Subject(
            List.of("lazy-binomial,k=3", "lazy-binomial,k=4,x=0"),
            "LazyBinomialPolicy.upperMerge",
            List.of("policies.LazyBinomialPolicy", "policies.Combinadic"),
            Map.of(
                "LazyBinomialPolicy.candidates",
                "the load deletes nothing; DeletedSpaceTest has loads that do",
                "LazyBinomialPolicy.toBase",
                "it decides the text of a reason alone")));
  }

  @Test
  void everyPolicyOfTheCatalogueIsTried() {
    assertThat(subjects().map(subject -> subject.texts.get(0).split(",")[0]))
        .containsExactlyElementsOf(
            PolicySpec.policyNames().stream()
                // It plans as one of the others does.
                .filter(name -> !name.equals("adaptive"))
                .toList());
  }

  @ParameterizedTest
  @MethodSource("subjects")
  void aSpoiltTriggerCostsAnotherFiniteAmount(Subject subject) {
    String load = subject.texts.get(0);
    double right = new BoundedRun().apply(load);
    assertThat(right).isFinite();
    List<Double> spoilt = new ArrayList<>();
    for (Comparison comparison : subject.comparisons()) {
      if (comparison.place().equals(subject.trigger)) {
        spoilt.add(SpoiltLoader.run(comparison, Comparison.Change.SHIFTED, load));
      }
    }
    assertThat(spoilt).anyMatch(wa -> Double.isFinite(wa) && wa != right);
  }

  @ParameterizedTest
  @MethodSource("subjects")
  void aSpoiltComparisonIsFelt(Subject subject) {
    Map<String, Double> right = new LinkedHashMap<>();
    for (String text : subject.texts) {
      for (String load : BoundedRun.LOADS) {
        right.put(load + text, new BoundedRun().apply(load + text));
      }
    }
    assertThat(right.values()).allMatch(Double::isFinite);
    Set<String> unfelt = new TreeSet<>();
    int felt = 0;
    for (Comparison comparison : subject.comparisons()) {
      if (felt(comparison, right)) {
        felt++;
      } else {
        unfelt.add(comparison.place());
      }
    }
    assertThat(unfelt).as("not felt").isEqualTo(new TreeSet<>(subject.neutral.keySet()));
    assertThat(2 * felt).isGreaterThan(subject.comparisons().size());
  }

  private static boolean felt(Comparison comparison, Map<String, Double> right) {
    return right.entrySet().stream()
        .anyMatch(
            load ->
                SpoiltLoader.run(comparison, Comparison.Change.NEGATED, load.getKey())
                    != load.getValue());
  }
}
