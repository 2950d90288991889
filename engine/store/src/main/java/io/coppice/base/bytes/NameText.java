// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.base.bytes;

import java.nio.charset.StandardCharsets;
import java.util.Collection;
import java.util.Locale;
import java.util.stream.Collectors;

/**
 * Safe text of names that the application chose, for messages and as parts of other names. A name
 * may contain any character; its text contains none that controls a terminal or ends a line.
 */
public final class NameText {

  /** Maximum code points of a name in a message. */
  private static final int MAX_SHOWN = 300;

  /** Maximum number of names that a message lists. */
  private static final int MAX_LISTED = 10;

  private static final int ZERO_WIDTH_NON_JOINER = 0x200C;
  private static final int ZERO_WIDTH_JOINER = 0x200D;

  private NameText() {}

  /**
   * Returns the name in single quotes, escaped; one of more than 300 code points is cut, and ends
   * in three dots.
   */
  public static String quoted(String name) {
    int end =
        name.codePointCount(0, name.length()) <= MAX_SHOWN
            ? name.length()
            : name.offsetByCodePoints(0, MAX_SHOWN);
    return "'" + escaped(name.substring(0, end)) + (end < name.length() ? "...'" : "'");
  }

  /**
   * Returns the name with escapes: {@code \n} and the like, a backslash before a backslash or
   * single quote, and hexadecimal digits, as in <code>&#92;u{202e}</code>, for other code points
   * that are not {@link #isVisible}. Different names have different texts.
   */
  public static String escaped(String name) {
    StringBuilder text = new StringBuilder(name.length());
    name.codePoints().forEach(code -> escape(code, text));
    return text.toString();
  }

  private static void escape(int code, StringBuilder text) {
    switch (code) {
      case '\n' -> text.append("\\n");
      case '\r' -> text.append("\\r");
      case '\t' -> text.append("\\t");
      case '\\' -> text.append("\\\\");
      case '\'' -> text.append("\\'");
      default -> {
        if (isVisible(code)) {
          text.appendCodePoint(code);
        } else {
          hex(code, text);
        }
      }
    }
  }

  private static void hex(int code, StringBuilder text) {
    text.append("\\u{").append(Integer.toHexString(code)).append('}');
  }

  /**
   * Returns whether a code point is displayed as such. Excluded are controls, line and paragraph
   * separators, direction marks and other format characters except joiners, and unpaired
   * surrogates.
   */
  public static boolean isVisible(int code) {
    return switch (Character.getType(code)) {
      case Character.CONTROL,
          Character.LINE_SEPARATOR,
          Character.PARAGRAPH_SEPARATOR,
          Character.SURROGATE ->
          false;
      case Character.FORMAT -> code == ZERO_WIDTH_JOINER || code == ZERO_WIDTH_NON_JOINER;
      default -> true;
    };
  }

  /** Returns a name escaped and without a slash, as a part of a path of names. */
  public static String pathPart(String name) {
    StringBuilder slash = new StringBuilder();
    hex('/', slash);
    return escaped(name).replace("/", slash);
  }

  /**
   * Returns a name as a part of a dotted name. ASCII letters, digits, {@code _} and {@code -} stay;
   * each byte of other characters in UTF-8 becomes {@code %} and two hexadecimal digits.
   */
  public static String dottedPart(String name) {
    StringBuilder text = new StringBuilder(name.length());
    for (byte one : name.getBytes(StandardCharsets.UTF_8)) {
      boolean plain =
          one >= 'a' && one <= 'z'
              || one >= 'A' && one <= 'Z'
              || one >= '0' && one <= '9'
              || one == '_'
              || one == '-';
      text.append(plain ? (char) one : String.format(Locale.ROOT, "%%%02X", one));
    }
    return text.toString();
  }

  /**
   * Returns up to ten names in the collection's order, quoted and separated by commas, then the
   * number of omitted ones if there are more.
   */
  public static String list(Collection<String> names) {
    String first =
        names.stream().limit(MAX_LISTED).map(NameText::quoted).collect(Collectors.joining(", "));
    int left = names.size() - MAX_LISTED;
    return left > 0 ? first + " and " + left + " more" : first;
  }
}
