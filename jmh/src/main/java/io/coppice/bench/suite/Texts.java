// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.bench.suite;

import java.util.Locale;

/** Texts with figures, which are written alike on every machine. */
public final class Texts {

  private Texts() {}

  /** Returns a text with its figures, in the form of no country. */
  public static String text(String format, Object... figures) {
    return String.format(Locale.ROOT, format, figures);
  }
}
