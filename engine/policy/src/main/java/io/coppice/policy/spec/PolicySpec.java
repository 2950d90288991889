// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.policy.spec;

import io.coppice.policy.Policy;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/**
 * A policy with all its options, checked. The text form is {@code name,option=value,...}, for
 * example {@code split-forest,fanout=8,table_size=4MiB}; CQL, {@code StoreOptions}, JMX and the
 * command line read and write the same form. {@link #toString} names every option. Its text
 * therefore means the same in a host with other defaults and reads back as an equal spec.
 * Immutable.
 *
 * <p>One {@link PolicySpecException} reports all faults of a text.
 */
public final class PolicySpec {

  private final PolicyRegistry.Entry entry;
  private final PolicyLimits limits;
  private final Map<String, Long> values;

  private PolicySpec(PolicyRegistry.Entry entry, PolicyLimits limits, Map<String, Long> values) {
    this.entry = entry;
    this.limits = limits;
    this.values = values;
  }

  /** Returns the names of all policies. */
  public static List<String> policyNames() {
    return PolicyRegistry.names();
  }

  /**
   * Returns the options of a policy in a host, in the order of the text form.
   *
   * @throws PolicySpecException if no policy has that name
   */
  public static List<PolicyOption> options(String policyName, PolicyLimits limits) {
    return of(policyName, Map.of(), limits).options();
  }

  /**
   * Parses text with the engine's limits.
   *
   * @throws PolicySpecException naming every fault
   */
  public static PolicySpec parse(String text) {
    return parse(text, PolicyLimits.ENGINE);
  }

  /**
   * Parses text with the limits of a host.
   *
   * @throws PolicySpecException naming every fault
   */
  public static PolicySpec parse(String text, PolicyLimits limits) {
    return parse(text, limits, List.of());
  }

  /**
   * Parses text that may name a policy of the application.
   *
   * @throws PolicySpecException naming every fault
   */
  public static PolicySpec parse(
      String text, PolicyLimits limits, Collection<CustomPolicy> customPolicies) {
    List<String> errors = new ArrayList<>();
    Map<String, String> options = options(text, errors);
    String name = text.split(",", -1)[0].trim();
    for (CustomPolicy custom : customPolicies) {
      if (custom.id().equals(name)) {
        return build(Optional.of(entry(custom)), name, options, limits, errors);
      }
    }
    return build(PolicyRegistry.find(name), name, options, limits, errors);
  }

  private static PolicyRegistry.Entry entry(CustomPolicy custom) {
    return new PolicyRegistry.Entry(
        custom.id(),
        List.of(),
        values -> custom.toleratedRuns(),
        (values, limits) ->
            custom.policy(
                values.get(PolicyRegistry.TABLE_SIZE),
                values.getOrDefault(PolicyRegistry.CLEANING_THRESHOLD, 0L).intValue()));
  }

  /**
   * Returns the options of a policy text, by name.
   *
   * @param errors receives a fault for each option without a value or with two
   */
  private static Map<String, String> options(String text, List<String> errors) {
    Map<String, String> options = new LinkedHashMap<>();
    String[] parts = text.split(",", -1);
    for (int i = 1; i < parts.length; i++) {
      int equals = parts[i].indexOf('=');
      String name = (equals < 0 ? parts[i] : parts[i].substring(0, equals)).trim();
      if (equals < 0) {
        errors.add("'" + name + "' has no value; write it as option=value");
      } else if (options.putIfAbsent(name, parts[i].substring(equals + 1).trim()) != null) {
        errors.add("option '" + name + "' is given twice");
      }
    }
    return options;
  }

  /**
   * Checks options by name with the engine's limits.
   *
   * @throws PolicySpecException naming every fault
   */
  public static PolicySpec of(String policyName, Map<String, String> options) {
    return of(policyName, options, PolicyLimits.ENGINE);
  }

  /**
   * Checks options by name; omitted ones take their defaults.
   *
   * @throws PolicySpecException naming every fault
   */
  public static PolicySpec of(String policyName, Map<String, String> options, PolicyLimits limits) {
    return build(PolicyRegistry.find(policyName), policyName, options, limits, new ArrayList<>());
  }

  private static PolicySpec build(
      Optional<PolicyRegistry.Entry> entry,
      String policyName,
      Map<String, String> given,
      PolicyLimits limits,
      List<String> errors) {
    if (entry.isEmpty()) {
      errors.add(
          0,
          "policy " + NameSuggestion.notUnderstood(policyName, PolicyRegistry.names(), "policies"));
    }
    List<PolicyOption> options =
        entry.map(known -> known.options(limits)).orElse(PolicyRegistry.allOptions(limits));
    List<String> names = options.stream().map(PolicyOption::name).toList();
    for (String name : given.keySet()) {
      if (!names.contains(name)) {
        errors.add("option " + NameSuggestion.notUnderstood(name, names, "options"));
      }
    }
    Map<String, Long> values = new LinkedHashMap<>();
    for (PolicyOption option : options) {
      String text = given.get(option.name());
      values.put(option.name(), text == null ? option.defaultValue() : value(option, text, errors));
    }
    if (!errors.isEmpty()) {
      throw new PolicySpecException(errors);
    }
    return new PolicySpec(entry.orElseThrow(), limits, values);
  }

  private static long value(PolicyOption option, String text, List<String> errors) {
    OptionalLong value = option.parse(text.trim());
    if (value.isEmpty()) {
      errors.add(option.name() + " (" + text + ") must be " + option.form());
    } else if (value.getAsLong() < option.min() || value.getAsLong() > option.max()) {
      errors.add(option.name() + " (" + text + ") must be in " + option.range());
    }
    return value.orElse(option.defaultValue());
  }

  /**
   * Returns this policy with other values of some options, or the policy that a whole text names.
   *
   * @param options as {@code name=value,name=value}, or a policy name with options as {@link
   *     #parse} takes it; options that a whole text omits take their defaults
   * @throws PolicySpecException naming every fault
   */
  public PolicySpec with(String options) {
    if (options.isBlank()) {
      throw new PolicySpecException(List.of("no option is named; write option=value,option=value"));
    }
    String first = options.split(",", -1)[0].trim();
    if (first.equals(policyName()) || PolicyRegistry.find(first).isPresent()) {
      List<String> faults = new ArrayList<>();
      Map<String, String> whole = options(options, faults);
      Optional<PolicyRegistry.Entry> named =
          first.equals(policyName()) ? Optional.of(entry) : PolicyRegistry.find(first);
      return build(named, first, whole, limits, faults);
    }
    List<String> errors = new ArrayList<>();
    Map<String, String> given = options(policyName() + "," + options, errors);
    long rungs = values.getOrDefault(PolicyRegistry.SHARDS, PolicyOption.NO_RUNGS);
    if (rungs != PolicyOption.NO_RUNGS
        && given.containsKey(PolicyRegistry.RUNG)
        && !given.containsKey(PolicyRegistry.SHARDS)) {
      errors.add("rung changes nothing while shards have theirs; write shards=none as well");
    }
    PolicySpec named = build(Optional.of(entry), policyName(), given, limits, errors);
    Map<String, String> texts = new LinkedHashMap<>(texts());
    for (String name : given.keySet()) {
      texts.put(name, named.texts().get(name));
    }
    return build(Optional.of(entry), policyName(), texts, limits, new ArrayList<>());
  }

  /** Returns the policy's name in text. */
  public String policyName() {
    return entry.name();
  }

  /** Creates the policy that this spec describes. */
  public Policy policy() {
    return entry.maker().apply(values, limits);
  }

  /** Returns the size that merges cut their output tables to, in bytes. */
  public long tableBytes() {
    return value(PolicyRegistry.TABLE_SIZE);
  }

  /**
   * Returns the most disk space that all merges of this policy together may take temporarily, in
   * bytes.
   *
   * @param liveBytes bytes of all tables; a bound given as a share refers to them
   * @return {@link Long#MAX_VALUE} if unlimited, and in a host without the option
   */
  public long transientBytes(long liveBytes) {
    long space = values.getOrDefault(PolicyRegistry.MAX_TRANSIENT_SPACE, Long.MAX_VALUE);
    return space >= 0 ? space : (long) ((double) liveBytes * space / PolicyOption.WHOLE);
  }

  /** Returns the options as text by name, in the order of {@link #options()}. */
  public Map<String, String> texts() {
    Map<String, String> texts = new LinkedHashMap<>();
    for (PolicyOption option : options()) {
      texts.put(option.name(), option.format(values.get(option.name())));
    }
    return texts;
  }

  /** Returns the number of runs that level 0 may keep before the policy wants to merge them. */
  public long toleratedRuns() {
    return entry.toleratedRuns().applyAsLong(values);
  }

  /** Returns the host's limits this spec was read with. */
  public PolicyLimits limits() {
    return limits;
  }

  /** Returns the options of this policy, in the order of the text form. */
  public List<PolicyOption> options() {
    return entry.options(limits);
  }

  /**
   * Returns the value of an option: sizes in bytes, decimals in thousandths.
   *
   * @throws IllegalArgumentException if the policy has no such option
   */
  public long value(String option) {
    Long value = values.get(option);
    if (value == null) {
      throw new IllegalArgumentException(
          entry.name()
              + ": option "
              + NameSuggestion.notUnderstood(option, values.keySet(), "options"));
    }
    return value;
  }

  @Override
  public boolean equals(@Nullable Object other) {
    return other instanceof PolicySpec spec
        && spec.entry.name().equals(entry.name())
        && spec.values.equals(values)
        && spec.limits.equals(limits);
  }

  @Override
  public int hashCode() {
    return Objects.hash(entry.name(), values, limits);
  }

  /** Returns the canonical text: the name and every option, in the order of {@link #options()}. */
  @Override
  public String toString() {
    StringBuilder text = new StringBuilder(entry.name());
    texts().forEach((name, value) -> text.append(',').append(name).append('=').append(value));
    return text.toString();
  }
}
