// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.tool.format;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.coppice.base.bytes.NameText;
import java.io.PrintWriter;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import java.util.stream.Stream;

/** The JSON of commands, one object per line. Published names never change. */
public final class JsonLines {

  private static final ObjectMapper MAPPER = new ObjectMapper();

  private JsonLines() {}

  public static ObjectNode object() {
    return JsonNodeFactory.instance.objectNode();
  }

  /** Prints an object as one line. */
  public static void print(ObjectNode node, PrintWriter out) {
    try {
      out.println(MAPPER.writeValueAsString(node));
    } catch (JsonProcessingException e) {
      throw new AssertionError("a tree of plain values", e);
    }
  }

  /** Adds a number; null if it is infinite or NaN. */
  public static void put(ObjectNode node, String name, double figure) {
    if (Double.isFinite(figure)) {
      node.put(name, figure);
    } else {
      node.putNull(name);
    }
  }

  /** Adds a whole number; null if it is negative, which means unknown. */
  public static void count(ObjectNode node, String name, long count) {
    if (count >= 0) {
      node.put(name, count);
    } else {
      node.putNull(name);
    }
  }

  /** Returns a name in the form of the command line, see {@link #text}. */
  public static String name(String name) {
    return text(name.getBytes(StandardCharsets.UTF_8));
  }

  /**
   * Returns bytes in the form of the command line: as text if they are printable UTF-8, with the
   * prefix {@code text:} if it needs one, else {@code hex:} and digits.
   */
  public static String text(byte[] bytes) {
    try {
      String text = StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes)).toString();
      if (text.codePoints().allMatch(NameText::isVisible)) {
        // Without a prefix, the command line would read such a text as another form, a file or an
        // option.
        boolean prefixed = Stream.of("hex:", "text:", "@", "-").anyMatch(text::startsWith);
        return prefixed ? "text:" + text : text;
      }
    } catch (CharacterCodingException e) {
      // Bytes that are no UTF-8 are printed as hex.
    }
    return "hex:" + HexFormat.of().formatHex(bytes);
  }
}
