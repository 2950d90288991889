// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.tool.console;

import io.coppice.policy.spec.PolicyOption;
import io.coppice.policy.spec.PolicySpec;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * The policies that <i>Tune</i> tries for a table: the other policies except {@code adaptive}, with
 * their defaults, and the active policy with half, double and default values of one option. Options
 * that every policy has keep their values. Stateless.
 */
final class PolicyNeighbors {

  /**
   * Options that keep their value, because every policy has them or a simulation does not show
   * their effect.
   */
  private static final Set<String> FIXED =
      Set.of(
          "table_size",
          "cleaning_threshold",
          "max_transient_space",
          "base_size",
          "shards",
          "adapt",
          "window",
          "dwell",
          "min_gain",
          "max_space_ratio",
          "max_switch_ratio");

  /**
   * Name of the policy that is not tried. Its tuner changes the rung with the load, which a
   * simulation of one load does not show.
   */
  private static final String ADAPTIVE = "adaptive";

  private PolicyNeighbors() {}

  /**
   * Returns the policies to try, each by its difference from the present one, as {@link
   * PolicySpec#with} takes it. Other policies come first, then changes of one option in the order
   * of the options.
   */
  static Map<String, PolicySpec> of(PolicySpec present) {
    Map<String, PolicySpec> found = new LinkedHashMap<>();
    for (String name : PolicySpec.policyNames()) {
      if (!name.equals(present.policyName()) && !name.equals(ADAPTIVE)) {
        PolicySpec other = present.with(other(name, present));
        found.put(other.toString(), other);
      }
    }
    for (PolicyOption option : present.options()) {
      if (isUnused(option.name(), present)) {
        continue;
      }
      for (long value : values(option, present.value(option.name()))) {
        String change = option.name() + "=" + option.format(value);
        found.put(change, present.with(change));
      }
    }
    return found;
  }

  /**
   * Returns whether another option replaces this one, so that {@link PolicySpec#with} would refuse
   * it.
   */
  private static boolean isUnused(String option, PolicySpec present) {
    return option.equals("rung") && present.value("shards") != PolicyOption.NO_RUNGS;
  }

  /**
   * Returns another policy as text with its defaults, except for the options that every policy has,
   * which keep their values.
   */
  static String other(String name, PolicySpec present) {
    StringBuilder text = new StringBuilder(name);
    Map<String, String> texts = present.texts();
    for (String common : List.of("table_size", "cleaning_threshold", "max_transient_space")) {
      if (texts.containsKey(common)) {
        text.append(',').append(common).append('=').append(texts.get(common));
      }
    }
    return text.toString();
  }

  private static Set<Long> values(PolicyOption option, long now) {
    Set<Long> values = new LinkedHashSet<>();
    if (FIXED.contains(option.name())) {
      return values;
    }
    if (option.type() == PolicyOption.Type.FLAG) {
      values.add(1 - now);
    } else {
      values.add(Math.max(option.min(), now / 2));
      values.add(Math.min(option.max(), now * 2));
      values.add(option.defaultValue());
    }
    values.remove(now);
    return values;
  }
}
