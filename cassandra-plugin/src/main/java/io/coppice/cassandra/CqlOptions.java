// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.cassandra;

import io.coppice.policy.PolicyLimits;
import io.coppice.policy.PolicySpec;
import io.coppice.policy.PolicySpecException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Predicate;
import org.apache.cassandra.exceptions.ConfigurationException;
import org.apache.cassandra.schema.CompactionParams;

/**
 * The option map of {@code WITH compaction = {...}}: the policy's own options, which {@link
 * PolicySpec} knows, beside those that Cassandra gives to every strategy.
 */
final class CqlOptions {

  private static final long MIB = 1L << 20;

  /**
   * Cassandra's side of an option's meaning: SSTables of 160 MiB as its leveled strategy has them,
   * 1 MiB so that small tests have many, 10 GiB so that the largest partitions fit; levels as deep
   * as its leveled strategy can take over.
   */
  static final PolicyLimits LIMITS =
      new PolicyLimits(160 * MIB, MIB, 10 * 1024 * MIB, ShapeBuilder.DEEPEST_LEVEL, true, 0, true);

  // Cassandra asks whether a strategy takes thresholds by trying these two; an exception there
  // would fail the statement, so they are handed back as not understood.
  private static final Set<String> THRESHOLDS = Set.of("min_threshold", "max_threshold");

  private static final String POLICY = "policy";
  private static final String DEFAULT_POLICY = "split-forest";
  private static final int DEFAULT_FANOUT = 4;

  private record Standard(String name, String range, Predicate<String> accepts) {}

  private static final List<Standard> STANDARD =
      List.of(
          bool("enabled"),
          bool("log_all"),
          bool("unchecked_tombstone_compaction"),
          bool("only_purge_repaired_tombstones"),
          new Standard(
              "tombstone_threshold",
              "a number of 0 or more",
              text -> number(text) >= 0 && number(text) <= Float.MAX_VALUE),
          new Standard(
              "tombstone_compaction_interval",
              "a whole number of 0.." + Long.MAX_VALUE / 1000 + " seconds",
              text -> text.matches("\\d{1,19}") && number(text) <= Long.MAX_VALUE / 1000.0),
          new Standard(
              "provide_overlapping_tombstones",
              "one of NONE, ROW, CELL",
              text ->
                  CompactionParams.TombstoneOption.forName(text.toUpperCase(Locale.ROOT))
                      .isPresent()));

  private CqlOptions() {}

  private static Standard bool(String name) {
    return new Standard(
        name,
        "true or false",
        text -> text.equalsIgnoreCase("true") || text.equalsIgnoreCase("false"));
  }

  private static double number(String text) {
    try {
      return Double.parseDouble(text);
    } catch (NumberFormatException e) {
      return Double.NaN;
    }
  }

  /** What every strategy of Cassandra takes, and what is allowed for it, in a fixed order. */
  static Map<String, String> standard() {
    Map<String, String> ranges = new LinkedHashMap<>();
    STANDARD.forEach(option -> ranges.put(option.name, option.range));
    return ranges;
  }

  /** The policy that an option names, not yet judged; the forest where there is none. */
  static String policy(Map<String, String> options) {
    return options.getOrDefault(POLICY, DEFAULT_POLICY);
  }

  /** All options but that one. */
  static Map<String, String> withoutPolicy(Map<String, String> options) {
    Map<String, String> others = new HashMap<>(options);
    others.remove(POLICY);
    return others;
  }

  /** What stands in where a policy, or its options, turn out to be wrong after all. */
  static PolicySpec fallback(String policyName) {
    boolean known = PolicySpec.policyNames().contains(policyName);
    return spec(known ? policyName : DEFAULT_POLICY, Map.of());
  }

  /**
   * Checks a whole map, as Cassandra's {@code validateOptions} demands.
   *
   * @return min_threshold and max_threshold where given, which no policy here understands
   * @throws ConfigurationException naming every option that is wrong, its value and its range
   */
  static Map<String, String> check(String policyName, Map<String, String> options) {
    List<String> errors = new ArrayList<>();
    Release.complaint().ifPresent(errors::add);
    for (Standard option : STANDARD) {
      String text = options.get(option.name);
      if (text != null && !option.accepts.test(text)) {
        errors.add(option.name + " (" + text + ") must be " + option.range);
      }
    }
    try {
      PolicySpec.of(policyName, policyOptions(options), LIMITS);
    } catch (PolicySpecException e) {
      errors.addAll(e.errors());
    }
    Map<String, String> thresholds = new HashMap<>(options);
    thresholds.keySet().retainAll(THRESHOLDS);
    if (errors.isEmpty()) {
      return thresholds;
    }
    for (String name : new TreeMap<>(thresholds).keySet()) {
      errors.add("option '" + name + "' is not understood");
    }
    // Who asks for the plugin before an ALTER sees by this which version a node has.
    throw new ConfigurationException(
        "coppice " + Release.version() + ": " + String.join("; ", errors));
  }

  /**
   * The policy that checked options name.
   *
   * @throws PolicySpecException if they are wrong
   */
  static PolicySpec spec(String policyName, Map<String, String> options) {
    return PolicySpec.of(policyName, policyOptions(options), LIMITS);
  }

  /** How much larger the runs of the next level are; a policy without such a law counts as 4. */
  static int fanout(PolicySpec spec) {
    Map<String, String> options = spec.texts();
    String factor = options.getOrDefault("fanout", options.get("groups"));
    return factor == null ? DEFAULT_FANOUT : Integer.parseInt(factor);
  }

  private static Map<String, String> policyOptions(Map<String, String> options) {
    Map<String, String> own = new TreeMap<>(options);
    STANDARD.forEach(option -> own.remove(option.name));
    own.keySet().removeAll(THRESHOLDS);
    return own;
  }
}
