// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.bench;

import java.util.Collection;
import java.util.Comparator;

/** Finds the name that a mistyped one was probably meant to be. */
public final class Nearest {

  private Nearest() {}

  /** The name that is fewest edits away, the first of equals; the names are not empty. */
  public static String to(String typed, Collection<String> names) {
    return names.stream().min(Comparator.comparingInt(name -> edits(typed, name))).orElseThrow();
  }

  /** Insertions, deletions and replacements that turn one text into the other. */
  private static int edits(String from, String to) {
    int[] row = new int[to.length() + 1];
    for (int j = 0; j < row.length; j++) {
      row[j] = j;
    }
    for (int i = 1; i <= from.length(); i++) {
      int diagonal = row[0];
      row[0] = i;
      for (int j = 1; j <= to.length(); j++) {
        int above = row[j];
        int replaced = diagonal + (from.charAt(i - 1) == to.charAt(j - 1) ? 0 : 1);
        row[j] = Math.min(replaced, 1 + Math.min(above, row[j - 1]));
        diagonal = above;
      }
    }
    return row[to.length()];
  }
}
