// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.policy.spec;

import java.util.Locale;
import java.util.OptionalLong;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Conversion of sizes to and from text such as {@code 4MiB}. Units are binary only ({@code B},
 * {@code KiB}, {@code MiB}, {@code GiB}, {@code TiB}, in any case); a bare number counts bytes.
 */
final class SizeText {

  private static final String[] UNITS = {"B", "KiB", "MiB", "GiB", "TiB"};
  private static final int BITS_PER_UNIT = 10;
  private static final Pattern SIZE = Pattern.compile("(\\d{1,19})\\s*(b|kib|mib|gib|tib)?");

  private SizeText() {}

  /**
   * Returns the number of bytes that a text such as {@code 4MiB} means; empty if the text is
   * malformed or the number exceeds a long.
   */
  static OptionalLong parse(String text) {
    Matcher size = SIZE.matcher(text.trim().toLowerCase(Locale.ROOT));
    if (!size.matches()) {
      return OptionalLong.empty();
    }
    int shift = 0;
    for (int i = 0; i < UNITS.length; i++) {
      if (UNITS[i].equalsIgnoreCase(size.group(2))) {
        shift = i * BITS_PER_UNIT;
      }
    }
    try {
      return OptionalLong.of(Math.multiplyExact(Long.parseLong(size.group(1)), 1L << shift));
    } catch (ArithmeticException | NumberFormatException e) {
      return OptionalLong.empty();
    }
  }

  /**
   * Returns the shortest exact text, in the largest unit that divides the bytes; zero is {@code 0}.
   */
  static String format(long bytes) {
    if (bytes == 0) {
      return "0";
    }
    int unit = Math.min(Long.numberOfTrailingZeros(bytes) / BITS_PER_UNIT, UNITS.length - 1);
    return (bytes >> (unit * BITS_PER_UNIT)) + UNITS[unit];
  }
}
