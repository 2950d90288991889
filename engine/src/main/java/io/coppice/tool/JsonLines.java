// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.tool;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.coppice.base.NameText;
import java.io.PrintWriter;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import java.util.stream.Stream;

/** JSON of the store commands: an object a line. Names, once published, are never renamed. */
final class JsonLines {

  private static final ObjectMapper MAPPER = new ObjectMapper();

  private JsonLines() {}

  static ObjectNode object() {
    return JsonNodeFactory.instance.objectNode();
  }

  static void print(ObjectNode node, PrintWriter out) {
    try {
      out.println(MAPPER.writeValueAsString(node));
    } catch (JsonProcessingException e) {
      throw new AssertionError("a tree of plain values", e);
    }
  }

  /** A name as the command line takes it; see {@link #text}. */
  static String name(String name) {
    return text(name.getBytes(StandardCharsets.UTF_8));
  }

  /** Bytes as the command line takes them: text where they are printable, else {@code hex:}. */
  static String text(byte[] bytes) {
    try {
      String text = StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes)).toString();
      if (text.codePoints().allMatch(NameText::isVisible)) {
        // A text that begins with "-" would be taken for an option.
        boolean prefixed = Stream.of("hex:", "text:", "@", "-").anyMatch(text::startsWith);
        return prefixed ? "text:" + text : text;
      }
    } catch (CharacterCodingException e) {
      // Then it is not text.
    }
    return "hex:" + HexFormat.of().formatHex(bytes);
  }
}
