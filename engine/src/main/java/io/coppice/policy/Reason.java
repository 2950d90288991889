// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.policy;

import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Why a plan was made: a code that never changes its meaning, the numbers it rests on, and the
 * sentence that log, console, simulator and Cassandra print alike.
 *
 * @param code kebab-case, persisted in decision journals; add codes, never rename them
 * @param numbers the Shape's own numbers, in the order in which the sentence names them
 * @param sentence for people
 */
public record Reason(String code, Map<String, Long> numbers, String sentence) {

  /** Copies the map, keeping its order. */
  public Reason {
    numbers = java.util.Collections.unmodifiableMap(new LinkedHashMap<>(numbers));
  }

  /**
   * Fills a sentence from numbers: each <code>{name}</code> in the text is replaced by the value
   * that follows that name in {@code namesAndValues}.
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
    return new Reason(code, numbers, sentence);
  }
}
