// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.base.bytes;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Random;

/** Names of 1 to 255 bytes of UTF-8 that trouble whoever quotes, escapes, prints or parses them. */
public final class RandomNames {

  private static final int MAX_BYTES = 255;

  private static final List<String> PIECES =
      List.of(
          "users",
          "Users",
          "LiveBytes",
          "LookupNanos",
          "default",
          "recovered-1",
          "日本",
          "é",
          "e\u0301",
          "\uD83C\uDF33",
          "\uD83D\uDC69\u200D\uD83D\uDC67",
          "\uD83C\uDFF4\uDB40\uDC67",
          "\u202Eabc",
          "\u0627\u0644",
          "\u2028",
          "\uFEFF",
          "\"",
          "'",
          "\\",
          "\\n",
          ",",
          "=",
          ":",
          ";",
          "*",
          "?",
          ".",
          "..",
          "/",
          "../../x",
          "%",
          "%2F",
          "&",
          "#",
          "+",
          " ",
          "\t",
          "\n",
          "\r\n",
          "\u0000",
          "\u0007",
          "\u001B[31m",
          "\u007F",
          "\u0085",
          "<script>alert(1)</script>",
          "<!--",
          "${x}",
          "{0}",
          "%s",
          "hex:00",
          "text:",
          "@file",
          "--family",
          "-");

  private RandomNames() {}

  /** Draws a name. */
  public static String of(Random random) {
    StringBuilder name = new StringBuilder();
    int pieces = random.nextInt(20) == 0 ? MAX_BYTES : 1 + random.nextInt(4);
    for (int i = 0; i < pieces; i++) {
      int before = name.length();
      name.append(piece(random));
      if (name.toString().getBytes(StandardCharsets.UTF_8).length > MAX_BYTES) {
        name.setLength(before);
      }
    }
    return name.toString();
  }

  private static String piece(Random random) {
    if (random.nextInt(4) > 0) {
      return PIECES.get(random.nextInt(PIECES.size()));
    }
    while (true) {
      int code = random.nextInt(random.nextBoolean() ? 0x250 : Character.MAX_CODE_POINT + 1);
      if (Character.getType(code) != Character.SURROGATE) {
        return Character.toString(code);
      }
    }
  }
}
