// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.base.bytes;

import org.jspecify.annotations.Nullable;

/**
 * Keys and values as readable text: printable ASCII as it is, with a backslash before a quote or
 * backslash, and every other byte as {@code \xNN}.
 */
public final class KeyText {

  private static final int FIRST_PRINTABLE = ' ';
  private static final int LAST_PRINTABLE = '~';

  private KeyText() {}

  /** Returns bytes as text in double quotes, or {@code -} for null. */
  public static String of(byte @Nullable [] bytes) {
    return bytes == null ? "-" : of(bytes, 0, bytes.length);
  }

  /** Returns a range of bytes as text in double quotes. */
  public static String of(byte[] bytes, int from, int length) {
    StringBuilder text = new StringBuilder(length + 2).append('"');
    for (int i = from; i < from + length; i++) {
      int code = bytes[i] & 0xFF;
      if (code == '"' || code == '\\') {
        text.append('\\').append((char) code);
      } else if (code >= FIRST_PRINTABLE && code <= LAST_PRINTABLE) {
        text.append((char) code);
      } else {
        text.append(String.format("\\x%02x", code));
      }
    }
    return text.append('"').toString();
  }
}
