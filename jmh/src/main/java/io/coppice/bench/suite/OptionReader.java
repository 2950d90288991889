// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.bench.suite;

import io.coppice.base.InvalidOptionsException;
import io.coppice.bench.report.DataTable;
import io.coppice.policy.spec.NameSuggestion;
import io.coppice.policy.spec.PolicySpec;
import io.coppice.policy.spec.PolicySpecException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;

/**
 * Reader of typed options by name. It collects all faults, so that one error message names them
 * together. After a fault, a reading method returns a value without a meaning, until {@link #check}
 * throws.
 */
public final class OptionReader {

  private static final String WHOLE = "--%s (%s) must be a whole number from %d to %d";
  private static final String RANGE = "--%s (%s) must be in %d..%d";

  private final Map<String, String> given;
  private final List<String> faults = new ArrayList<>();

  /**
   * Creates a reader of a command's options.
   *
   * @param given option values by name, without dashes
   */
  public OptionReader(Map<String, String> given) {
    this.given = given;
  }

  /**
   * Adds a fault for each argument that is no option, naming the nearest option.
   *
   * @param names names of all options
   */
  public OptionReader unknown(List<String> arguments, Collection<String> names) {
    arguments.forEach(
        argument ->
            fault("unknown option %s; nearest is --%s", argument, nearest(bare(argument), names)));
    return this;
  }

  /**
   * Adds a fault for each option that is not in a list.
   *
   * @param unknown arguments that are no option
   * @param owner owner of the list in the faults, such as "this suite"
   */
  public OptionReader only(List<String> names, List<String> unknown, String owner) {
    List<String> others = new ArrayList<>(given.keySet());
    others.removeAll(names);
    others.addAll(unknown);
    for (String other : others) {
      String bare = bare(other);
      fault("--%s is no option of %s; nearest is --%s", bare, owner, nearest(bare, names));
    }
    return this;
  }

  private static String bare(String argument) {
    return argument.replaceFirst("^--?", "").replaceFirst("=.*", "");
  }

  private static String nearest(String typed, Collection<String> names) {
    return NameSuggestion.to(typed, names);
  }

  /**
   * Adds a fault that the caller has found. {@link #check} throws it together with all others.
   *
   * @param format message, a pattern of {@link String#format}
   */
  public void fault(String format, Object... arguments) {
    faults.add(format.formatted(arguments));
  }

  /** Returns the collected faults; callers may add to them. */
  public List<String> faults() {
    return faults;
  }

  /**
   * Checks that there is no fault.
   *
   * @throws InvalidOptionsException naming every fault
   */
  public void check() {
    if (!faults.isEmpty()) {
      throw new InvalidOptionsException(faults.stream().distinct().toList());
    }
  }

  public boolean has(String name) {
    return given.containsKey(name);
  }

  public String text(String name, String otherwise) {
    String value = given.get(name);
    return value == null || value.isBlank() ? otherwise : value.strip();
  }

  public Optional<Path> path(String name) {
    return Optional.ofNullable(text(name, null)).map(Path::of);
  }

  /** Reads an option whose value is a list separated by commas. */
  public List<String> list(String name, String otherwise) {
    String text = text(name, otherwise);
    return text.isEmpty() ? List.of() : List.of(text.split("\\s*,\\s*", -1));
  }

  public long number(String name, long otherwise, long min, long max) {
    return number(name, text(name, Long.toString(otherwise)), min, max, RANGE);
  }

  /**
   * Reads a whole number from {@code min} to {@code max}, both inclusive.
   *
   * @param otherwise value without the option; it may be out of range to require the option
   */
  public int whole(String name, long otherwise, long min, long max) {
    return whole(name, text(name, Long.toString(otherwise)), min, max);
  }

  /**
   * Reads a whole number from {@code min} to {@code max}, both inclusive, from an item of a list.
   */
  public int whole(String name, String text, long min, long max) {
    return (int) number(name, text, min, max, WHOLE);
  }

  private long number(String name, String text, long min, long max, String fault) {
    try {
      return inRange(name, text, Long.parseLong(text), min, max, fault);
    } catch (NumberFormatException e) {
      fault(fault.equals(WHOLE) ? fault : "--%s (%s) must be a whole number", name, text, min, max);
      return min;
    }
  }

  private long inRange(String name, String text, long value, long min, long max, String fault) {
    if (value < min || value > max) {
      fault(fault, name, text, min, max);
      return min;
    }
    return value;
  }

  public double decimal(String name, double otherwise, double max) {
    String text = text(name, Double.toString(otherwise));
    try {
      double value = Double.parseDouble(text);
      if (value >= 0 && value <= max) {
        return value;
      }
      fault("--%s (%s) must be from 0 to %s", name, text, max);
    } catch (NumberFormatException e) {
      fault("--%s (%s) must be a number", name, text);
    }
    return otherwise;
  }

  /**
   * Reads a number of bytes such as {@code 64MiB}, from {@code min} to {@code max}, both inclusive.
   */
  public long size(String name, String otherwise, long min, long max) {
    return size(name, min, max, text(name, otherwise));
  }

  /** Reads a list of numbers of bytes, each from {@code min} to {@code max}, both inclusive. */
  public List<Long> sizes(String name, String otherwise, long min, long max) {
    return list(name, otherwise).stream().map(text -> size(name, min, max, text)).toList();
  }

  private long size(String name, long min, long max, String text) {
    Matcher matcher = DataTable.SIZE.matcher(text);
    if (!matcher.matches()) {
      fault("--%s (%s) must be a size such as 64MiB", name, text);
      return min;
    }
    return inRange(name, text, DataTable.bytes(matcher), min, max, RANGE);
  }

  /**
   * Reads a list of allowed values; the default is the first one alone. Other items add a fault and
   * stay in the result.
   */
  public List<String> listOf(String name, String... allowed) {
    List<String> values = list(name, allowed[0]);
    if (!List.of(allowed).containsAll(values)) {
      fault("--%s (%s) must be %s", name, given.get(name), String.join(" or ", allowed));
    }
    return values;
  }

  /**
   * Adds each fault of a policy text.
   *
   * @param name name of the option in the faults
   */
  public void policy(String name, String policy) {
    try {
      PolicySpec.parse(policy);
    } catch (PolicySpecException e) {
      e.errors().forEach(error -> fault("--%s: %s", name, error));
    }
  }

  /** Reads an option with few allowed values; the first one is the default. */
  public String oneOf(String name, String... allowed) {
    String value = text(name, allowed[0]);
    if (!List.of(allowed).contains(value)) {
      fault("--%s (%s) must be %s", name, value, String.join(" or ", allowed));
    }
    return value;
  }

  public boolean flag(String name) {
    return oneOf(name, "false", "true").equals("true");
  }

  public String progress() {
    return oneOf("progress", "auto", "bar", "plain");
  }

  public long seed() {
    return number("seed", 42, Long.MIN_VALUE, Long.MAX_VALUE);
  }

  /**
   * Returns the object that an option names. For an unknown name, the fault gives the nearest known
   * one.
   *
   * @param otherwise name without the option
   * @param known objects by name
   */
  public <T> T named(String name, String otherwise, Map<String, T> known) {
    String value = text(name, otherwise);
    isNamed(name, value, known.keySet());
    return known.getOrDefault(value, known.get(otherwise));
  }

  /** Returns whether a value is known; otherwise adds a fault with the nearest known value. */
  public boolean isNamed(String name, String value, Collection<String> known) {
    if (!known.contains(value)) {
      String all = String.join(", ", known);
      fault("--%s (%s) must be one of %s; nearest is %s", name, value, all, nearest(value, known));
    }
    return known.contains(value);
  }
}
