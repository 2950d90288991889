// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.bench.suite;

import io.coppice.workload.TextTable;
import java.util.Arrays;
import java.util.Locale;

/** Texts with figures, which are written alike on every machine. */
public final class Texts {

  private Texts() {}

  /** Returns a text with its figures, in the form of no country; a dash for one without a value. */
  public static String text(String format, Object... figures) {
    String text = String.format(Locale.ROOT, format, figures);
    boolean whole =
        Arrays.stream(figures)
            .allMatch(each -> !(each instanceof Double it) || Double.isFinite(it));
    return whole ? text : text.replaceAll("[-+]?(NaN|Infinity)", TextTable.NOTHING);
  }
}
