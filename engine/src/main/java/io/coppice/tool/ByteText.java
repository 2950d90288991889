// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.tool;

import java.math.BigDecimal;
import java.util.Locale;
import java.util.OptionalLong;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Amounts of data in text, as disks and loads are spoken of: decimal {@code kB, MB, GB, TB, PB, EB}
 * and binary {@code KiB, MiB, GiB, TiB, PiB, EiB}, in any case, with or without a fraction; a bare
 * number counts bytes. Options of policies know binary units only.
 */
final class ByteText {

  private static final String PREFIXES = "kmgtpe";
  private static final Pattern AMOUNT =
      Pattern.compile("(\\d{1,19}(?:\\.\\d{1,9})?)\\s*(?:([kmgtpe])(i?))?b?");
  private static final long THOUSAND = 1000;
  private static final long KIBI = 1024;
  private static final String[] UNITS = {"B", "kB", "MB", "GB", "TB", "PB", "EB"};

  private ByteText() {}

  /** The bytes, or empty if the text is no amount, no whole number of bytes, or over a long. */
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

  /** Three digits and a decimal unit, such as {@code 1.02 TB}. */
  static String format(double bytes) {
    int unit = 0;
    double amount = bytes;
    // 999.5 would print as 1000.
    while (amount >= 999.5 && unit < UNITS.length - 1) {
      amount /= THOUSAND;
      unit++;
    }
    String form =
        unit == 0 || amount >= 99.95 ? "%.0f %s" : amount >= 9.995 ? "%.1f %s" : "%.2f %s";
    return String.format(Locale.ROOT, form, amount, UNITS[unit]);
  }
}
