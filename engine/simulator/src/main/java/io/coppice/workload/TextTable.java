// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.workload;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** Rows of texts as lines with aligned columns, two blanks between them. */
public final class TextTable {

  /** Text of a cell without a value. */
  public static final String NOTHING = "-";

  private TextTable() {}

  /**
   * Returns a number in a format such as {@code %.2f}; {@link #NOTHING} if it is infinite or NaN.
   */
  public static String number(String form, double figure) {
    return Double.isFinite(figure) ? String.format(Locale.ROOT, form, figure) : NOTHING;
  }

  /**
   * Returns the rows as lines that begin with a blank. The first column is aligned to the left,
   * others to the right.
   */
  public static List<String> indented(List<List<String>> rows) {
    return lines(rows, "lr").stream().map(line -> " " + line).toList();
  }

  /**
   * Returns a line for each row, without blanks at its end; all rows have as many cells as the
   * first.
   *
   * @param sides alignment of each column, l for left or r for right; the last letter also counts
   *     for all further columns
   * @throws IndexOutOfBoundsException if there is no row
   */
  public static List<String> lines(List<List<String>> rows, String sides) {
    int[] widths = new int[rows.get(0).size()];
    for (List<String> row : rows) {
      for (int i = 0; i < widths.length; i++) {
        widths[i] = Math.max(widths[i], row.get(i).length());
      }
    }
    List<String> lines = new ArrayList<>();
    for (List<String> row : rows) {
      StringBuilder line = new StringBuilder();
      for (int i = 0; i < widths.length; i++) {
        String blanks = " ".repeat(widths[i] - row.get(i).length());
        boolean right = sides.charAt(Math.min(i, sides.length() - 1)) == 'r';
        line.append(i == 0 ? "" : "  ").append(right ? blanks + row.get(i) : row.get(i) + blanks);
      }
      lines.add(line.toString().stripTrailing());
    }
    return lines;
  }
}
