// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.bench.suite;

import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Amounts of data as options write them. */
public final class Sizes {

  private static final Pattern SIZE = Pattern.compile("(\\d{1,15})(B|KiB|MiB|GiB)?");
  private static final List<String> UNITS = List.of("B", "KiB", "MiB", "GiB");

  private Sizes() {}

  /** The bytes of a text such as {@code 64MiB}; the least allowed, and a fault, if it is wrong. */
  public static long parse(String option, String text, long min, long max, List<String> faults) {
    Matcher matcher = SIZE.matcher(text);
    if (!matcher.matches()) {
      faults.add(option + " (" + text + ") must be a size such as 64MiB");
      return min;
    }
    int shift = matcher.group(2) == null ? 0 : 10 * UNITS.indexOf(matcher.group(2));
    long value = Long.parseLong(matcher.group(1)) << shift;
    if (value < min || value > max) {
      faults.add(option + " (" + text + ") must be in " + min + ".." + max);
      return min;
    }
    return value;
  }
}
