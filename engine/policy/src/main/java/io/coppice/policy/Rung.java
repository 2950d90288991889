// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.policy;

import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * One of the policies that {@code adaptive} chooses among. They stand in a row, from few runs to
 * few rewrites. Tiered and grouped have no rung, as they cost what a forest does, byte by byte.
 *
 * @param policy its name in the catalogue
 * @param options those of its options that are not at their defaults
 * @param form what it costs
 */
record Rung(String policy, Map<String, Long> options, Form form) {

  /** The cheapest reads first, the cheapest writes last. The order is persisted in policy texts. */
  static final List<Rung> LADDER =
      List.of(
          lazyBinomial(2, PolicyOption.ONE / 4),
          new Rung("leveled", Map.of(), new Form.Leveled()),
          lazyBinomial(4, PolicyOption.ONE / 4),
          new Rung("delayed", Map.of(), new Form.Delayed()),
          lazyBinomial(8, PolicyOption.ONE / 2),
          lazyBinomial(12, PolicyOption.ONE),
          new Rung("split-forest", Map.of("fanout", 8L), new Form.Forest(8)));

  private static Rung lazyBinomial(int trees, long ratio) {
    return new Rung(
        "lazy-binomial",
        Map.of("k", (long) trees, "x", ratio),
        new Form.LazyBinomial(trees, (double) ratio / PolicyOption.ONE));
  }

  /**
   * The rung of each shard, the lowest keys first.
   *
   * @param rung of all where no shards are named
   * @param shards see {@link PolicyOption.Type#RUNGS}
   */
  static int[] ofShards(long rung, long shards) {
    String digits = shards == PolicyOption.NO_RUNGS ? "1" + rung : Long.toString(shards);
    int[] rungs = new int[digits.length() - 1];
    for (int i = 0; i < rungs.length; i++) {
      rungs[i] = digits.charAt(i + 1) - '0';
    }
    return rungs;
  }

  /** The rung of each shard of a policy in force. */
  static int[] ofShards(PolicySpec adaptive) {
    return ofShards(adaptive.value(PolicyCatalogue.RUNG), adaptive.value(PolicyCatalogue.SHARDS));
  }

  /** How many ranges shards make, as neighbours of one rung are one. */
  static int ranges(int[] rungs) {
    int ranges = 1;
    for (int i = 1; i < rungs.length; i++) {
      ranges += rungs[i] == rungs[i - 1] ? 0 : 1;
    }
    return ranges;
  }

  /** True if two policies plan every key by the same rung. */
  static boolean alike(PolicySpec one, PolicySpec other) {
    int[] rungs = ofShards(one);
    int[] others = ofShards(other);
    return Arrays.equals(rungs, others)
        || (rungs[0] == others[0] && ranges(rungs) == 1 && ranges(others) == 1);
  }

  private PolicyCatalogue.Entry entry() {
    return PolicyCatalogue.find(policy).orElseThrow();
  }

  /** All its options, those of table sizes and merges from the values of {@code adaptive}. */
  private Map<String, Long> values(Map<String, Long> adaptive) {
    Map<String, Long> values = new LinkedHashMap<>(adaptive);
    for (PolicyOption option : entry().ownOptions()) {
      values.put(option.name(), option.defaultValue());
    }
    values.putAll(options);
    return values;
  }

  /** The policy itself. */
  WishingPolicy make(Map<String, Long> adaptive, PolicyLimits limits) {
    return (WishingPolicy) entry().maker().apply(values(adaptive), limits);
  }

  /**
   * Runs that level 0 may keep on the rung that leaves most there; on all of them, as a switch must
   * not slow writers down.
   */
  static long mostRestingRuns() {
    long most = 0;
    for (Rung rung : LADDER) {
      most = Math.max(most, rung.entry().restingRuns().applyAsLong(rung.values(Map.of())));
    }
    return most;
  }

  /** As people write it. */
  String text() {
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
