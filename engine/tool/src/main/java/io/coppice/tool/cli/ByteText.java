// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.tool.cli;

import java.math.BigDecimal;
import java.util.Locale;
import java.util.OptionalLong;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A parser and printer of data sizes, as they are written for disks and loads.
 *
 * <p>It reads decimal {@code kB, MB, GB, TB, PB, EB} and binary {@code KiB, MiB, GiB, TiB, PiB,
 * EiB}, in upper or lower case, with or without a fraction. A plain number means bytes. Policy
 * options, in contrast, take binary units only.
 */
public final class ByteText {

  private static final String PREFIXES = "kmgtpe";
  private static final Pattern AMOUNT =
      Pattern.compile("(\\d{1,19}(?:\\.\\d{1,9})?)\\s*(?:([kmgtpe])(i?))?b?");
  private static final long THOUSAND = 1000;
  private static final long KIBI = 1024;
  private static final String[] UNITS = {"B", "kB", "MB", "GB", "TB", "PB", "EB"};

  private ByteText() {}

  /**
   * Returns the bytes; empty if the text is no size, means a fraction of a byte, or exceeds a long.
   */
  static OptionalLong parse(String text) {
    Matcher amount = AMOUNT.matcher(text.trim().toLowerCase(Locale.ROOT));
    if (!amount.matches()) {
      return OptionalLong.empty();
    }
    BigDecimal bytes = new BigDecimal(amount.group(1));
    if (amount.group(2) != null) {
      long base = amount.group(3).isEmpty() ? THOUSAND : KIBI;
      int power = PREFIXES.indexOf(amount.group(2)) + 1;
      bytes = bytes.multiply(BigDecimal.valueOf(base).pow(power));
    }
    try {
      return OptionalLong.of(bytes.longValueExact());
    } catch (ArithmeticException e) {
      return OptionalLong.empty();
    }
  }

  /** Returns a size with three digits and a decimal unit, such as {@code 1.02 TB}. */
  public static String format(double bytes) {
    int unit = 0;
    double amount = bytes;
    // A value of 999.5 or more would be printed as 1000.
    while (amount >= 999.5 && unit < UNITS.length - 1) {
      amount /= THOUSAND;
      unit++;
    }
    String form =
        unit == 0 || amount >= 99.95 ? "%.0f %s" : amount >= 9.995 ? "%.1f %s" : "%.2f %s";
    return String.format(Locale.ROOT, form, amount, UNITS[unit]);
  }
}
