// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.policy;

import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/**
 * Reason for a plan: a stable code, its numbers, a sentence, the weighed candidates and the cost.
 * Log, console, simulator and Cassandra print the same sentence.
 *
 * @param code kebab-case name, persisted in decision journals; add codes, never rename them
 * @param numbers the numbers in the sentence by name, in the order of the sentence
 * @param sentence the reason for people
 * @param candidates weighed candidates, best first, the chosen one first; at most {@link
 *     #MAX_CANDIDATES}
 * @param cost cost of the plan
 */
public record Reason(
    String code,
    Map<String, Long> numbers,
    String sentence,
    List<Candidate> candidates,
    PlanCost cost) {

  /** Most candidates that a reason lists. */
  public static final int MAX_CANDIDATES = 5;

  /** Code of a read-triggered merge, see {@link Shape#requests}. */
  public static final String READ_REQUEST = "read-request";

  /**
   * A candidate that the policy weighed.
   *
   * @param slice id of one of its slices
   * @param score lower is better; the code defines the measure
   */
  public record Candidate(long slice, double score) {}

  /** Copies the collections, keeping their order. */
  public Reason {
    Objects.requireNonNull(code, "code");
    numbers = Collections.unmodifiableMap(new LinkedHashMap<>(numbers));
    Objects.requireNonNull(sentence, "sentence");
    candidates = List.copyOf(candidates);
    Objects.requireNonNull(cost, "cost");
  }

  /**
   * Creates a reason without candidates and cost, filling a sentence from numbers. Each <code>
   * {name}</code> in the text becomes the value that follows that name in {@code namesAndValues}.
   *
   * @throws IllegalArgumentException if the text has no place for a name
   */
  public static Reason of(String code, String text, Object... namesAndValues) {
    Map<String, Long> numbers = new LinkedHashMap<>();
    String sentence = text;
    for (int i = 0; i < namesAndValues.length; i += 2) {
      String name = (String) namesAndValues[i];
      long value = ((Number) namesAndValues[i + 1]).longValue();
      String hole = "{" + name + "}";
      if (!text.contains(hole)) {
        throw new IllegalArgumentException("'" + text + "' has no place for " + hole);
      }
      numbers.put(name, value);
      sentence = sentence.replace(hole, Long.toString(value));
    }
    return new Reason(code, numbers, sentence, List.of(), PlanCost.FREE_OF_COST);
  }

  /**
   * Creates a reason as {@link #of} does, with values in the order of the text. Each <code>{name}
   * </code> becomes the next value.
   *
   * @throws IllegalArgumentException if there is another number of values than of names
   */
  public static Reason ofNumbers(String code, String text, long... values) {
    List<Object> named = new ArrayList<>();
    int names = 0;
    for (int at = text.indexOf('{'); at >= 0; at = text.indexOf('{', at + 1)) {
      named.add(text.substring(at + 1, text.indexOf('}', at)));
      named.add(names < values.length ? values[names] : 0);
      names++;
    }
    if (names != values.length) {
      throw new IllegalArgumentException(
          "'" + text + "' has " + names + " names, but there are " + values.length + " values");
    }
    return of(code, text, named.toArray());
  }

  /**
   * Returns this reason with a further clause, filled as by {@link #of} and separated by a
   * semicolon.
   *
   * @throws IllegalArgumentException if the text has no place for a name
   */
  public Reason and(String text, Object... namesAndValues) {
    Reason further = of(code, text, namesAndValues);
    Map<String, Long> all = new LinkedHashMap<>(numbers);
    all.putAll(further.numbers);
    return new Reason(code, all, sentence + "; " + further.sentence, candidates, cost);
  }

  /**
   * Returns this reason with other weighed candidates.
   *
   * @param choice best first, at most {@link #MAX_CANDIDATES}; the number is not checked
   */
  public Reason weighing(List<Candidate> choice) {
    return new Reason(code, numbers, sentence, choice, cost);
  }

  /** Returns this reason with a cost. */
  public Reason costing(PlanCost cost) {
    return new Reason(code, numbers, sentence, candidates, cost);
  }
}
