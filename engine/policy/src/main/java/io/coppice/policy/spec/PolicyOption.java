// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.policy.spec;

import java.math.BigDecimal;
import java.util.OptionalLong;
import java.util.regex.Pattern;

/**
 * One option of a policy: name, range and effect.
 *
 * @param name name in policy texts, for example {@code fanout}
 * @param type notation of the value
 * @param min the least value, inclusive
 * @param max the greatest value, inclusive
 * @param defaultValue the value when the text does not name it, within the range
 * @param unit unit of the number, for example {@code runs} or {@code bytes}
 * @param effect one sentence for documents, CQL and the console
 * @param needsRewrite whether existing tables take the new value only when they are next rewritten;
 *     otherwise the next plan follows it
 */
public record PolicyOption(
    String name,
    Type type,
    long min,
    long max,
    long defaultValue,
    String unit,
    String effect,
    boolean needsRewrite) {

  /** Notation of a value in text. */
  public enum Type {
    /** A whole number such as {@code 4}. */
    INTEGER("a whole number", true),
    /** A number of bytes such as {@code 4MiB}; units are binary, and a bare number means bytes. */
    SIZE("a size such as 4MiB", true),
    /** A number with up to three decimals such as {@code 0.25}; the value counts thousandths. */
    DECIMAL("a number of up to three places such as 0.25", true),
    /** A flag: {@code true} or {@code false}; the value is 1 or 0. */
    FLAG("true or false", false),
    /**
     * A number of bytes as in {@link #SIZE}, a share such as {@code 2%}, or {@code unlimited}. A
     * value of 0 or more counts bytes. A value below 0 is a share, negated, in thousandths of a
     * percent. {@link Long#MAX_VALUE} means no limit.
     */
    SPACE("a size such as 4GiB or a share such as 2%", true),
    /**
     * The rung of each shard, one digit for each, such as {@code 4400}. The value is the number
     * that these digits form after a leading 1, or {@link #NO_RUNGS} for {@code none}.
     */
    RUNGS("none or up to eight digits in 0..6 such as 4400", false);

    private final String form;
    private final boolean ranges;

    Type(String form, boolean ranges) {
      this.form = form;
      this.ranges = ranges;
    }
  }

  /** Least value of a {@link Type#SPACE}, a share of 100 % in negated thousandths of a percent. */
  static final long WHOLE = -100_000;

  private static final String UNLIMITED = "unlimited";

  private static final String NONE = "none";

  /**
   * Value of {@link Type#RUNGS} for the text {@code none}; the next value, 10, is a single rung 0.
   */
  public static final long NO_RUNGS = 9;

  private static final int PLACES = 3;

  private static final Pattern DECIMAL_TEXT = Pattern.compile("\\d{1,12}(?:\\.\\d{1,3})?");

  /** Returns the value as text that {@link #parse} reads back. */
  public String format(long value) {
    if (type == Type.SIZE) {
      return SizeText.format(value);
    }
    if (type == Type.SPACE) {
      return formatSpace(value);
    }
    if (type == Type.DECIMAL) {
      return decimal(value);
    }
    if (type == Type.FLAG) {
      return Boolean.toString(value != 0);
    }
    if (type == Type.RUNGS) {
      return value == NO_RUNGS ? NONE : Long.toString(value).substring(1);
    }
    return Long.toString(value);
  }

  private static String decimal(long thousandths) {
    return BigDecimal.valueOf(thousandths, PLACES).stripTrailingZeros().toPlainString();
  }

  private static String formatSpace(long value) {
    if (value == Long.MAX_VALUE) {
      return UNLIMITED;
    }
    return value < 0 ? decimal(-value) + "%" : SizeText.format(value);
  }

  /** Returns the allowed range as text, for example {@code 2..32}. */
  public String range() {
    return type == Type.SPACE
        ? "0..unlimited or 0.001%.." + format(min)
        : format(min) + ".." + format(max);
  }

  /** Returns the expected notation in words, for error messages. */
  String form() {
    return type.ranges ? type.form + " in " + range() : type.form;
  }

  /** Returns the value of a text, empty if the notation is wrong. It does not check the range. */
  public OptionalLong parse(String text) {
    if (type == Type.SIZE) {
      return SizeText.parse(text);
    }
    if (type == Type.SPACE) {
      return parseSpace(text);
    }
    if (type == Type.DECIMAL) {
      return parseDecimal(text);
    }
    if (type == Type.FLAG) {
      boolean on = text.equalsIgnoreCase("true");
      return on || text.equalsIgnoreCase("false")
          ? OptionalLong.of(on ? 1 : 0)
          : OptionalLong.empty();
    }
    if (type == Type.RUNGS) {
      boolean none = text.equalsIgnoreCase(NONE);
      return none || text.matches("[0-6]{1,8}")
          ? OptionalLong.of(none ? NO_RUNGS : Long.parseLong("1" + text))
          : OptionalLong.empty();
    }
    try {
      return OptionalLong.of(Long.parseLong(text));
    } catch (NumberFormatException e) {
      return OptionalLong.empty();
    }
  }

  private static OptionalLong parseDecimal(String text) {
    return DECIMAL_TEXT.matcher(text).matches()
        ? OptionalLong.of(new BigDecimal(text).movePointRight(PLACES).longValueExact())
        : OptionalLong.empty();
  }

  private static OptionalLong parseSpace(String text) {
    if (text.equalsIgnoreCase(UNLIMITED)) {
      return OptionalLong.of(Long.MAX_VALUE);
    }
    if (text.endsWith("%")) {
      OptionalLong share = parseDecimal(text.substring(0, text.length() - 1).trim());
      return share.isPresent() ? OptionalLong.of(-share.getAsLong()) : share;
    }
    return SizeText.parse(text);
  }
}
