// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.policy;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/**
 * Why a plan was made: a code that never changes its meaning, the numbers it rests on, the sentence
 * that log, console, simulator and Cassandra print alike, what else stood for choice, and the cost.
 *
 * @param code kebab-case, persisted in decision journals; add codes, never rename them
 * @param numbers the Shape's own numbers, in the order in which the sentence names them
 * @param sentence for people
 * @param candidates what was weighed, best first, the chosen one first; at most {@link
 *     #MAX_CANDIDATES}
 * @param forecast what it will cost
 */
public record Reason(
    String code,
    Map<String, Long> numbers,
    String sentence,
    List<Candidate> candidates,
    Forecast forecast) {

  /** More candidates than this are not written down. */
  public static final int MAX_CANDIDATES = 5;

  /** The code of a merge that reads asked for, see {@link Shape#requests}. */
  public static final String READ_REQUEST = "read-request";

  /**
   * A choice.
   *
   * @param slice its first slice
   * @param score less is better; what it measures follows from the code
   */
  public record Candidate(long slice, double score) {}

  /** Copies the collections, keeping their order. */
  public Reason {
    Objects.requireNonNull(code, "code");
    numbers = Collections.unmodifiableMap(new LinkedHashMap<>(numbers));
    Objects.requireNonNull(sentence, "sentence");
    candidates = List.copyOf(candidates);
    Objects.requireNonNull(forecast, "forecast");
  }

  /**
   * Fills a sentence from numbers: each <code>{name}</code> in the text is replaced by the value
   * that follows that name in {@code namesAndValues}. No candidates, and free of cost.
   *
   * @throws IllegalArgumentException if names and values do not alternate or a name is not used
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
    return new Reason(code, numbers, sentence, List.of(), Forecast.FREE_OF_COST);
  }

  /** This reason with a further clause, filled as by {@link #of}. */
  public Reason and(String text, Object... namesAndValues) {
    Reason further = of(code, text, namesAndValues);
    Map<String, Long> all = new LinkedHashMap<>(numbers);
    all.putAll(further.numbers);
    return new Reason(code, all, sentence + "; " + further.sentence, candidates, forecast);
  }

  /** This reason after weighing candidates. */
  public Reason weighing(List<Candidate> choice) {
    return new Reason(code, numbers, sentence, choice, forecast);
  }

  /** This reason with a cost. */
  public Reason costing(Forecast cost) {
    return new Reason(code, numbers, sentence, candidates, cost);
  }
}
