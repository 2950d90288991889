// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.policy.spec;

import java.util.Collection;
import java.util.Comparator;
import java.util.Locale;

/** Suggestion of the known name nearest to a mistyped one, by edit distance. */
public final class NameSuggestion {

  // A name with more than half of its letters wrong is hardly a typing error.
  private static final int LETTERS_PER_SLIP = 2;

  private NameSuggestion() {}

  /**
   * Returns the error text about an unknown name, with the nearest known one if it is near. Tools
   * search for the words "not understood"; keep them.
   *
   * @param known the known names; the text lists them when none is near
   * @param plural plural noun for the known names, used when none is near
   */
  public static String notUnderstood(String name, Collection<String> known, String plural) {
    String lower = name.toLowerCase(Locale.ROOT);
    String best = known.isEmpty() ? null : to(lower, known);
    String advice =
        best != null && distance(lower, best) * LETTERS_PER_SLIP <= best.length()
            ? "did you mean '" + best + "'?"
            : "known " + plural + ": " + String.join(", ", known);
    return "'" + name + "' is not understood; " + advice;
  }

  /**
   * Returns the known name with the least edit distance to a name, the first of equals.
   *
   * @param known the known names, never empty
   */
  public static String to(String name, Collection<String> known) {
    return known.stream()
        .min(Comparator.comparingInt(candidate -> distance(name, candidate)))
        .orElseThrow();
  }

  /** Returns Levenshtein's distance, computed row by row. */
  private static int distance(String left, String right) {
    int[] row = new int[right.length() + 1];
    for (int j = 0; j < row.length; j++) {
      row[j] = j;
    }
    for (int i = 1; i <= left.length(); i++) {
      int diagonal = row[0];
      row[0] = i;
      for (int j = 1; j < row.length; j++) {
        int change = diagonal + (left.charAt(i - 1) == right.charAt(j - 1) ? 0 : 1);
        diagonal = row[j];
        row[j] = Math.min(change, 1 + Math.min(row[j], row[j - 1]));
      }
    }
    return row[right.length()];
  }
}
