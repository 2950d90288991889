// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.policy;

import io.coppice.policy.spec.PolicySpec;
import io.coppice.testing.Seeds;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * The laws that every policy keeps, tried on small stores. A subclass names the policy's text; one
 * failure is run again with {@code -Dseed=N}.
 */
abstract class PolicyContract {

  private static final int ROUNDS = 120;
  private static final int SWITCHES = 4;

  private static final Map<String, String> SMALL =
      Map.of(
          "leveled", ",fanout=3,l0_trigger=2",
          "tiered", ",trigger=3",
          "delayed", ",fanout=3,l0_trigger=2,vct=4",
          "grouped", ",groups=2,last_level_leveled=true",
          "split-forest", ",fanout=3",
          "lazy-binomial", ",k=2",
          "adaptive", ",shards=04");

  /** The policy on trial, for example {@code leveled,fanout=3}. */
  abstract String text();

  /** A policy of another kind, to take over and to take over from. */
  abstract String otherText();

  static Stream<Arguments> trials() {
    return Seeds.many(Integer.getInteger("seeds", 5))
        .boxed()
        .flatMap(
            seed ->
                Stream.of(MergeRule.values()).map(rule -> Arguments.of(rule, seed.longValue())));
  }

  private static PolicyTrial trial(String text, MergeRule rule, long seed) {
    return new PolicyTrial(PolicyTrial.policy(text), rule, seed);
  }

  @ParameterizedTest
  @MethodSource("trials")
  void keepsTheLawsFromAnEmptyStore(MergeRule rule, long seed) {
    trial(text(), rule, seed).live(ROUNDS).rest();
  }

  @ParameterizedTest
  @MethodSource("trials")
  void keepsTheLawsFromShapesItDidNotMake(MergeRule rule, long seed) {
    trial(text(), rule, seed).wild().live(ROUNDS / 3).rest();
    trial(text(), rule, seed).wild().rest();
  }

  @ParameterizedTest
  @MethodSource("trials")
  void takesOverHalfMergedShapesOfAnotherPolicyAndBack(MergeRule rule, long seed) {
    trial(otherText(), rule, seed)
        .live(ROUNDS / 3)
        .with(PolicyTrial.policy(text()))
        .live(ROUNDS / 3)
        .with(PolicyTrial.policy(otherText()))
        .live(ROUNDS / 3)
        .with(PolicyTrial.policy(text()))
        .rest();
  }

  @ParameterizedTest
  @MethodSource("trials")
  void goesOnFromWhateverTheOthersLeave(MergeRule rule, long seed) {
    Random random = new Random(seed);
    PolicyTrial trial = trial(text(), rule, seed);
    for (int i = 0; i < SWITCHES; i++) {
      trial.live(ROUNDS / 6).with(PolicyTrial.policy(small(random)));
    }
    trial.live(ROUNDS / 6).with(PolicyTrial.policy(text())).rest();
  }

  /** Any policy of the catalogue, with options for a store of a few tables. */
  private static String small(Random random) {
    List<String> names = PolicySpec.policyNames();
    String name = names.get(random.nextInt(names.size()));
    String options = SMALL.get(name);
    if (options == null) {
      throw new AssertionError("name options for small stores for " + name);
    }
    return name + options;
  }

  @ParameterizedTest
  @MethodSource("trials")
  void compactsEverythingIntoOneRunFromAnyShape(MergeRule rule, long seed) {
    trial(text(), rule, seed).live(ROUNDS / 3).major().live(ROUNDS / 6).major().rest();
    trial(text(), rule, seed).wild().major();
  }

  @ParameterizedTest
  @MethodSource("trials")
  void rewritesWhatIsNamedInsideItsRun(MergeRule rule, long seed) {
    trial(text(), rule, seed).live(ROUNDS / 3).renew().major().renew();
    trial(text(), rule, seed).wild().renew();
  }

  @Test
  void wantsNothingOfAnEmptyStore() {
    for (MergeRule rule : MergeRule.values()) {
      trial(text(), rule, 0).verifiedAtRest();
    }
  }
}
