// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.bench.report;

import io.coppice.workload.TextTable;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Formatting of texts with figures, the same on every machine. */
public final class Texts {

  private static final Pattern FIGURE = Pattern.compile("\\{([\\w./]+)(?: (%[^}]+))?}");

  private Texts() {}

  /**
   * Returns a text with figures, in the same notation in every locale; a dash replaces an infinite
   * figure or NaN.
   */
  public static String text(String format, Object... figures) {
    String text = String.format(Locale.ROOT, format, figures);
    boolean whole =
        Arrays.stream(figures)
            .allMatch(each -> !(each instanceof Double it) || Double.isFinite(it));
    return whole ? text : text.replaceAll("[-+]?(NaN|Infinity)", TextTable.NOTHING);
  }

  /**
   * Returns the facts of a run: the lines of {@code facts.txt} beside a class. Braces in a line
   * contain the path of a figure, for {@link Records#value}, and after a blank its format.
   *
   * @param of record with the figures
   */
  public static List<String> facts(Class<?> beside, Record of) {
    return DataTable.text(beside, "facts.txt")
        .lines()
        .filter(line -> !line.startsWith("#"))
        .map(line -> FIGURE.matcher(line).replaceAll(found -> figure(found, of)))
        .toList();
  }

  private static String figure(MatchResult found, Record of) {
    String form = found.group(2) == null ? "%s" : found.group(2);
    return Matcher.quoteReplacement(text(form, Records.value(of, found.group(1))));
  }
}
