// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.bench.report;

import com.fasterxml.jackson.annotation.JsonAutoDetect.Visibility;
import com.fasterxml.jackson.annotation.PropertyAccessor;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.ObjectWriter;
import com.fasterxml.jackson.databind.SerializationFeature;
import java.io.IOException;
import java.nio.file.Path;

/** Conversion of records to JSON: on one line between processes, indented in reports. */
public final class RecordJson {

  private static final ObjectMapper MAPPER =
      new ObjectMapper()
          .setVisibility(PropertyAccessor.ALL, Visibility.NONE)
          .setVisibility(PropertyAccessor.FIELD, Visibility.ANY)
          .setVisibility(PropertyAccessor.CREATOR, Visibility.ANY);

  private RecordJson() {}

  /** Returns a value as JSON on one line. */
  public static String line(Object value) {
    return text(MAPPER.writer(), value);
  }

  /** Returns a value as indented JSON. */
  public static String file(Object value) {
    return text(MAPPER.writer(SerializationFeature.INDENT_OUTPUT), value) + "\n";
  }

  private static String text(ObjectWriter form, Object value) {
    try {
      return form.writeValueAsString(value);
    } catch (JsonProcessingException e) {
      throw new IllegalArgumentException("no JSON of " + value, e);
    }
  }

  /**
   * Returns the value that {@link #line} has written.
   *
   * @throws IllegalArgumentException if the text is no JSON of that type
   */
  public static <T> T parse(String line, Class<T> type) {
    try {
      return MAPPER.readValue(line, type);
    } catch (JsonProcessingException e) {
      throw new IllegalArgumentException("no " + type.getSimpleName() + ": " + line, e);
    }
  }

  /**
   * Reads a file with any JSON.
   *
   * @throws IOException if it is unreadable or contains something else
   */
  public static JsonNode read(Path file) throws IOException {
    return MAPPER.readTree(file.toFile());
  }
}
