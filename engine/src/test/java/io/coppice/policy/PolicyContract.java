// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.policy;

import java.util.stream.LongStream;
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

  /** The policy on trial, for example {@code leveled,fanout=3}. */
  abstract String text();

  /** A policy of another kind, to take over and to take over from. */
  abstract String otherText();

  static Stream<Arguments> trials() {
    Long only = Long.getLong("seed");
    LongStream seeds =
        only == null ? LongStream.range(0, Long.getLong("seeds", 20)) : LongStream.of(only);
    return seeds
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
  void compactsEverythingIntoOneRunFromAnyShape(MergeRule rule, long seed) {
    trial(text(), rule, seed).live(ROUNDS / 3).major().live(ROUNDS / 6).major().rest();
    trial(text(), rule, seed).wild().major();
  }

  @Test
  void wantsNothingOfAnEmptyStore() {
    for (MergeRule rule : MergeRule.values()) {
      trial(text(), rule, 0).verifiedAtRest();
    }
  }
}
