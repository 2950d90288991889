// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.policy.spec;

import io.coppice.policy.Thousandths;
import io.coppice.policy.pick.PrioritizedPolicy;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Rung of {@code adaptive}: one policy with its options. The {@link #LADDER} is ordered from few
 * runs to few rewrites. Tiered and grouped have no rung, because their costs equal those of a
 * forest.
 *
 * @param policy name of the policy in policy texts
 * @param options values by name of the options that differ from their defaults, as {@link
 *     PolicyOption} counts them
 * @param model amplification model of the policy with these options
 */
public record AdaptiveRung(String policy, Map<String, Long> options, AmplificationModel model) {

  /**
   * All rungs: the cheapest reads first, the cheapest writes last. Policy texts name a rung by its
   * index, so the order must not change.
   */
  public static final List<AdaptiveRung> LADDER =
      List.of(
          lazyBinomial(2, Thousandths.ONE / 4),
          new AdaptiveRung("leveled", Map.of(), new AmplificationModel.Leveled()),
          lazyBinomial(4, Thousandths.ONE / 4),
          new AdaptiveRung("delayed", Map.of(), new AmplificationModel.Delayed()),
          lazyBinomial(8, Thousandths.ONE / 2),
          lazyBinomial(12, Thousandths.ONE),
          new AdaptiveRung("split-forest", Map.of("fanout", 8L), new AmplificationModel.Forest(8)));

  private static AdaptiveRung lazyBinomial(int trees, long ratio) {
    return new AdaptiveRung(
        "lazy-binomial",
        Map.of("k", (long) trees, "x", ratio),
        new AmplificationModel.LazyBinomial(trees, (double) ratio / Thousandths.ONE));
  }

  /**
   * Returns the rung of each shard as an index of {@link #LADDER}, the lowest keys first.
   *
   * @param rung the rung of all keys, used if {@code shards} is {@link PolicyOption#NO_RUNGS}
   * @param shards value of the shards option, see {@link PolicyOption.Type#RUNGS}
   */
  public static int[] ofShards(long rung, long shards) {
    String digits = shards == PolicyOption.NO_RUNGS ? "1" + rung : Long.toString(shards);
    int[] rungs = new int[digits.length() - 1];
    for (int i = 0; i < rungs.length; i++) {
      rungs[i] = digits.charAt(i + 1) - '0';
    }
    return rungs;
  }

  /**
   * Returns the rung of each shard of an adaptive policy as an index of {@link #LADDER}, the lowest
   * keys first.
   *
   * @throws IllegalArgumentException if the policy is not {@code adaptive}
   */
  public static int[] ofShards(PolicySpec adaptive) {
    return ofShards(adaptive.value(PolicyRegistry.RUNG), adaptive.value(PolicyRegistry.SHARDS));
  }

  /**
   * Returns the number of key ranges; adjacent shards with the same rung form one range.
   *
   * @param rungs rung of each shard, the lowest keys first; never empty
   */
  public static int ranges(int[] rungs) {
    int ranges = 1;
    for (int i = 1; i < rungs.length; i++) {
      ranges += rungs[i] == rungs[i - 1] ? 0 : 1;
    }
    return ranges;
  }

  /**
   * Returns whether two adaptive policies use the same rung for every key, other options aside.
   *
   * @throws IllegalArgumentException if one is not {@code adaptive}
   */
  public static boolean alike(PolicySpec one, PolicySpec other) {
    int[] rungs = ofShards(one);
    int[] others = ofShards(other);
    return Arrays.equals(rungs, others)
        || (rungs[0] == others[0] && ranges(rungs) == 1 && ranges(others) == 1);
  }

  private PolicyRegistry.Entry entry() {
    return PolicyRegistry.find(policy).orElseThrow();
  }

  /**
   * Returns the values of all options of the rung's policy; table size and merge options come from
   * {@code adaptive}.
   */
  private Map<String, Long> values(Map<String, Long> adaptive) {
    Map<String, Long> values = new LinkedHashMap<>(adaptive);
    for (PolicyOption option : entry().ownOptions()) {
      values.put(option.name(), option.defaultValue());
    }
    values.putAll(options);
    return values;
  }

  /**
   * Creates the policy of this rung.
   *
   * @param adaptive option values of the {@code adaptive} policy
   */
  PrioritizedPolicy make(Map<String, Long> adaptive, PolicyLimits limits) {
    return (PrioritizedPolicy) entry().maker().apply(values(adaptive), limits);
  }

  /**
   * Returns the largest number of runs that level 0 may keep on any rung. It applies to all rungs,
   * because a switch must not slow writers down.
   */
  static long maxToleratedRuns() {
    long most = 0;
    for (AdaptiveRung rung : LADDER) {
      most = Math.max(most, rung.entry().toleratedRuns().applyAsLong(rung.values(Map.of())));
    }
    return most;
  }

  /** Returns the policy as policy text with those options that differ from their defaults. */
  public String text() {
    StringBuilder text = new StringBuilder(policy);
    for (PolicyOption option : entry().ownOptions()) {
      Long value = options.get(option.name());
      if (value != null) {
        text.append(',').append(option.name()).append('=').append(option.format(value));
      }
    }
    return text.toString();
  }
}
