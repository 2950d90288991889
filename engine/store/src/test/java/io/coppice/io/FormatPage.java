// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.io;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HexFormat;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The annotated dump of a page of {@code docs/formats}: in a block that begins with three backticks
 * and {@code hex}, one line a field, with the offset, the bytes, and behind two blanks what they
 * are.
 */
public final class FormatPage {

  private static final Pattern LINE =
      Pattern.compile("([0-9a-f]{4})  ((?:[0-9a-f]{2} )*[0-9a-f]{2})(?:  .*)?");

  private FormatPage() {}

  /** Compares the dump of a page with a file made now. */
  public static void check(String page, byte[] file) throws IOException {
    assertThat(HexFormat.ofDelimiter(" ").formatHex(bytesOf(page)))
        .as("the dump in docs/formats/" + page)
        .isEqualTo(HexFormat.ofDelimiter(" ").formatHex(file));
  }

  /** The bytes that the page shows. */
  public static byte[] bytesOf(String page) throws IOException {
    List<String> lines = Files.readAllLines(Path.of("../../docs/formats", page));
    int from = lines.indexOf("```hex") + 1;
    assertThat(from).as("no dump in " + page).isPositive();
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    for (String line :
        lines.subList(from, from + lines.subList(from, lines.size()).indexOf("```"))) {
      Matcher matcher = LINE.matcher(line);
      assertThat(matcher.matches()).as(line).isTrue();
      assertThat(Integer.parseInt(matcher.group(1), 16)).as(line).isEqualTo(bytes.size());
      bytes.writeBytes(HexFormat.ofDelimiter(" ").parseHex(matcher.group(2)));
    }
    return bytes.toByteArray();
  }
}
