// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.cassandra.sstable;

import io.coppice.policy.spec.PolicyLimits;
import io.coppice.policy.spec.PolicySpec;
import io.coppice.policy.spec.PolicySpecException;
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
 * The option map of {@code WITH compaction = {...}}: options of the policy, which {@link
 * PolicySpec} defines, and options that every strategy of Cassandra takes.
 */
public final class CqlOptions {

  private static final long MIB = 1L << 20;

  /**
   * Limits of options in Cassandra. The default SSTable size, 160 MiB, is that of Cassandra's
   * leveled strategy. The smallest, 1 MiB, lets small tests have many SSTables; the largest, 10
   * GiB, fits the largest partitions. Cassandra's leveled strategy can take over SSTables of all
   * levels.
   */
  public static final PolicyLimits LIMITS =
      new PolicyLimits(160 * MIB, MIB, 10 * 1024 * MIB, ShapeBuilder.DEEPEST_LEVEL, true, 0, true);

  // Cassandra tests whether a strategy takes thresholds by passing these two. An exception would
  // fail the statement, so they are returned as not understood.
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

  /**
   * Returns the options that every Cassandra strategy takes: name to allowed values as text, in a
   * fixed order.
   */
  static Map<String, String> standard() {
    Map<String, String> ranges = new LinkedHashMap<>();
    STANDARD.forEach(option -> ranges.put(option.name, option.range));
    return ranges;
  }

  /** Returns the policy that the options name, unchecked; split forest if they name none. */
  public static String policy(Map<String, String> options) {
    return options.getOrDefault(POLICY, DEFAULT_POLICY);
  }

  /** Returns all options except the policy. */
  public static Map<String, String> withoutPolicy(Map<String, String> options) {
    Map<String, String> others = new HashMap<>(options);
    others.remove(POLICY);
    return others;
  }

  /**
   * Returns the policy that stands in for invalid options: the named one with its defaults, or
   * split forest if the name is invalid too.
   */
  public static PolicySpec fallback(String policyName) {
    boolean known = PolicySpec.policyNames().contains(policyName);
    return spec(known ? policyName : DEFAULT_POLICY, Map.of());
  }

  /**
   * Checks a whole option map, as Cassandra's {@code validateOptions} requires.
   *
   * @return min_threshold and max_threshold, if present, which no policy here understands
   * @throws ConfigurationException naming every invalid option with its value and range
   */
  public static Map<String, String> check(String policyName, Map<String, String> options) {
    List<String> errors = new ArrayList<>();
    PluginVersion.complaint().ifPresent(errors::add);
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
    // Operators probe for the plugin with an invalid option before an ALTER; the message tells them
    // its version on the node.
    throw new ConfigurationException(
        "coppice " + PluginVersion.version() + ": " + String.join("; ", errors));
  }

  /**
   * Returns the policy with its options from an option map. Options of all strategies are left out
   * unchecked, see {@link #check}.
   *
   * @throws PolicySpecException naming every fault, if the name or an option of the policy is
   *     invalid
   */
  public static PolicySpec spec(String policyName, Map<String, String> options) {
    return PolicySpec.of(policyName, policyOptions(options), LIMITS);
  }

  /**
   * Returns the size ratio of the runs of adjacent levels: the option {@code fanout}, or else
   * {@code groups}; 4 for a policy with neither.
   */
  public static int fanout(PolicySpec spec) {
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
