// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.policy;

import java.util.OptionalLong;

/**
 * One option of a policy: what it is called, what it allows and what it does.
 *
 * @param name as written in text, for example {@code fanout}
 * @param type how its value is written
 * @param min the least value, inclusive
 * @param max the greatest value, inclusive
 * @param defaultValue the value when the text does not name it, within the range
 * @param unit what the number counts, for example {@code runs} or {@code bytes}
 * @param effect one sentence for documents, CQL and the console
 * @param needsRewrite true if data already on disk takes the new value only when next rewritten;
 *     false if the next plan follows it
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

  /** How a value is written in text. */
  public enum Type {
    /** A whole number such as {@code 4}. */
    INTEGER,
    /** A number of bytes such as {@code 4MiB}; units are binary, a bare number means bytes. */
    SIZE
  }

  /** The value as text, in the form that {@link PolicySpec} reads back. */
  public String format(long value) {
    return type == Type.SIZE ? SizeText.format(value) : Long.toString(value);
  }

  /** The allowed range as text, for example {@code 2..32}. */
  public String range() {
    return format(min) + ".." + format(max);
  }

  OptionalLong parse(String text) {
    if (type == Type.SIZE) {
      return SizeText.parse(text);
    }
    try {
      return OptionalLong.of(Long.parseLong(text));
    } catch (NumberFormatException e) {
      return OptionalLong.empty();
    }
  }
}
