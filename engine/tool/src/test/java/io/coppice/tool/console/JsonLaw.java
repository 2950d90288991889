// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.tool.console;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.Set;
import java.util.regex.Pattern;

/**
 * The law of all documents of {@code --json}: bytes and counts are whole numbers, no number is
 * negative, and an unknown figure is null, never -1 or a text such as {@code NaN}.
 */
public final class JsonLaw {

  private static final Set<String> NO_ANSWERS = Set.of("NaN", "Infinity", "-Infinity", "?");

  /** Keys of bytes and counts. */
  private static final Pattern WHOLE =
      Pattern.compile(
          ".*_(bytes|millis|nodes|plans)|bytes|runs|flushes|queries|operations|entries|stalls");

  private JsonLaw() {}

  /** Checks a document with all that it contains. */
  public static void check(String what, JsonNode document) {
    if (document.isContainerNode()) {
      document
          .properties()
          .forEach(
              field -> {
                String path = what + "/" + field.getKey();
                JsonNode value = field.getValue();
                if (WHOLE.matcher(field.getKey()).matches() && value.isNumber()) {
                  assertThat(value.isIntegralNumber()).as(path + ": " + value).isTrue();
                }
                check(path, value);
              });
      if (document.isArray()) {
        document.forEach(element -> check(what, element));
      }
    }
    if (document.isNumber()) {
      assertThat(document.doubleValue()).as(what).isNotNegative();
    }
    if (document.isTextual()) {
      assertThat(NO_ANSWERS).as(what).doesNotContain(document.textValue());
    }
  }
}
