// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.policy;

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

  private PolicyCatalogue.Entry entry() {
    return PolicyCatalogue.find(policy).orElseThrow();
  }

  /** All its options, those of table sizes and merges from the values of {@code adaptive}. */
  private Map<String, Long> values(Map<String, Long> adaptive) {
    Map<String, Long> values = new LinkedHashMap<>(adaptive);
    entry().ownOptions().forEach(option -> values.put(option.name(), option.defaultValue()));
    values.putAll(options);
    return values;
  }

  /** The policy itself. */
  WishingPolicy make(Map<String, Long> adaptive, PolicyLimits limits) {
    return (WishingPolicy) entry().maker().make(values(adaptive), limits);
  }

  /**
   * Runs that level 0 may keep on the rung that leaves most there; on all of them, as a switch must
   * not slow writers down.
   */
  static long mostRestingRuns() {
    return LADDER.stream()
        .mapToLong(rung -> rung.entry().restingRuns().applyAsLong(rung.values(Map.of())))
        .max()
        .orElseThrow();
  }

  /** As people write it. */
  String text() {
    StringBuilder text = new StringBuilder(policy);
    entry().ownOptions().stream()
        .filter(option -> options.containsKey(option.name()))
        .forEach(
            option ->
                text.append(',')
                    .append(option.name())
                    .append('=')
                    .append(option.format(options.get(option.name()))));
    return text.toString();
  }
}
