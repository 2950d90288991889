// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.tool.format;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * A reader of one JSON object's fields by name. A missing field, or one of the wrong type, causes
 * an {@link IllegalArgumentException} that names object and field.
 */
final class JsonFields {

  private final JsonNode node;
  private final String what;

  /**
   * Creates a reader of an object.
   *
   * @param what the name of the object in error messages
   * @throws IllegalArgumentException if {@code node} is no object
   */
  JsonFields(JsonNode node, String what) {
    this.node = node;
    this.what = what;
    if (!node.isObject()) {
      throw new IllegalArgumentException(what + " must be an object");
    }
  }

  /** Returns whether the field is present and not null. */
  boolean has(String name) {
    return node.hasNonNull(name);
  }

  long number(String name) {
    return number(required(name), name);
  }

  /** Returns a number, or the default if the field is absent. */
  long number(String name, long otherwise) {
    return has(name) ? number(name) : otherwise;
  }

  int whole(String name) {
    return Math.toIntExact(number(name));
  }

  int whole(String name, int otherwise) {
    return Math.toIntExact(number(name, otherwise));
  }

  /** Returns a number with a fraction, also from a text such as {@code NaN} or {@code Infinity}. */
  double decimal(String name) {
    JsonNode value = required(name);
    if (value.isTextual()) {
      return Double.parseDouble(value.textValue());
    }
    check(value.isNumber(), name, "a number");
    return value.doubleValue();
  }

  boolean flag(String name) {
    JsonNode value = required(name);
    check(value.isBoolean(), name, "true or false");
    return value.booleanValue();
  }

  String text(String name) {
    JsonNode value = required(name);
    check(value.isTextual(), name, "text");
    return value.textValue();
  }

  /** Returns a constant of an enumeration, written in lower case. */
  <E extends Enum<E>> E constant(String name, Class<E> type) {
    try {
      return Enum.valueOf(type, text(name).toUpperCase(Locale.ROOT));
    } catch (IllegalArgumentException e) {
      throw new IllegalArgumentException(what + ": '" + name + "' is " + text(name), e);
    }
  }

  JsonFields object(String name) {
    return new JsonFields(required(name), name);
  }

  /** Returns the objects of an array; empty if the field is absent. */
  List<JsonFields> objects(String name) {
    List<JsonFields> objects = new ArrayList<>();
    for (JsonNode element : array(name)) {
      objects.add(new JsonFields(element, "one of " + name));
    }
    return objects;
  }

  /** Returns the numbers of an array; empty if the field is absent. */
  List<Long> numbers(String name) {
    List<Long> numbers = new ArrayList<>();
    for (JsonNode element : array(name)) {
      numbers.add(number(element, name));
    }
    return numbers;
  }

  /** Returns the numbers of an object by name, in its order. */
  Map<String, Long> namedNumbers(String name) {
    Map<String, Long> numbers = new LinkedHashMap<>();
    JsonFields object = object(name);
    object.node.fieldNames().forEachRemaining(key -> numbers.put(key, object.number(key)));
    return numbers;
  }

  private Iterable<JsonNode> array(String name) {
    if (!has(name)) {
      return List.of();
    }
    check(node.get(name).isArray(), name, "a list");
    return node.get(name);
  }

  private long number(JsonNode value, String name) {
    check(value.isIntegralNumber() && value.canConvertToLong(), name, "a whole number");
    return value.longValue();
  }

  private JsonNode required(String name) {
    JsonNode value = node.get(name);
    check(value != null && !value.isNull(), name, "there");
    return value;
  }

  private void check(boolean right, String name, String kind) {
    if (!right) {
      throw new IllegalArgumentException(what + ": '" + name + "' must be " + kind);
    }
  }
}
