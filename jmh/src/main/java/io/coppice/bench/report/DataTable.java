// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.bench.report;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.lang.reflect.RecordComponent;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Reader of records that are stored as a table in a resource beside their class. Bars separate the
 * cells, the first cell of a line or column names a component of the record, and {@code #} begins a
 * comment line. A dash is NaN.
 */
public final class DataTable {

  public static final Pattern SIZE = Pattern.compile("(\\d{1,15})(B|KiB|MiB|GiB)?");
  private static final List<String> UNITS = List.of("B", "KiB", "MiB", "GiB");

  private DataTable() {}

  public static long bytes(Matcher size) {
    int shift = size.group(2) == null ? 0 : 10 * UNITS.indexOf(size.group(2));
    return Long.parseLong(size.group(1)) << shift;
  }

  /** Reads a table with one record per line; the first line names the components. */
  public static <T extends Record> List<T> rows(Class<T> type, String resource) {
    return rows(type, type, resource);
  }

  /** Reads a table with one record per line that is stored beside another class. */
  static <T extends Record> List<T> rows(Class<T> type, Class<?> beside, String resource) {
    List<String[]> lines = lines(beside, resource);
    List<T> rows = new ArrayList<>();
    for (String[] line : lines.subList(1, lines.size())) {
      Map<String, String> cells = new HashMap<>();
      for (int i = 0; i < line.length; i++) {
        cells.put(lines.get(0)[i], line[i]);
      }
      rows.add(make(type, cells, ""));
    }
    return rows;
  }

  /** Reads a table with one record per column; the first line has the keys of the result. */
  public static <T extends Record> Map<String, T> columns(Class<T> type, String resource) {
    List<String[]> lines = lines(type, resource);
    Map<String, T> columns = new LinkedHashMap<>();
    for (int i = 1; i < lines.get(0).length; i++) {
      Map<String, String> cells = new HashMap<>();
      for (String[] line : lines) {
        cells.put(line[0], line[i]);
      }
      columns.put(lines.get(0)[i], make(type, cells, lines.get(0)[0]));
    }
    return columns;
  }

  /**
   * Returns the value of an expression: a number, or a component of the record, multiplied or
   * divided by a whole number. Quotients are rounded down.
   */
  public static long number(Record record, String expression) {
    if (Character.isDigit(expression.charAt(0))) {
      return (Long) value(expression, long.class);
    }
    String[] parts = expression.split("(?=[/*])");
    long whole = ((Number) Records.at(record, parts[0])).longValue();
    long by = parts.length == 1 ? 1 : Long.parseLong(parts[1].substring(1));
    return expression.contains("*") ? whole * by : whole / by;
  }

  private static List<String[]> lines(Class<?> type, String resource) {
    return text(type, resource)
        .lines()
        .filter(line -> !line.isBlank() && !line.startsWith("#"))
        .map(line -> line.strip().split(" *\\| *", -1))
        .toList();
  }

  /**
   * Returns the text of a resource beside a class; a line that ends with a backslash continues on
   * the next line.
   */
  public static String text(Class<?> type, String resource) {
    try (InputStream in = type.getResourceAsStream(resource)) {
      return new String(in.readAllBytes(), StandardCharsets.UTF_8).replaceAll(" *\\\\\n *", " ");
    } catch (IOException e) {
      throw new UncheckedIOException("cannot read " + resource, e);
    }
  }

  private static <T extends Record> T make(Class<T> type, Map<String, String> cells, String title) {
    RecordComponent[] components = type.getRecordComponents();
    try {
      Set<String> unknown = new TreeSet<>(cells.keySet());
      Arrays.stream(components).map(RecordComponent::getName).forEach(unknown::remove);
      unknown.remove(title);
      if (!unknown.isEmpty()) {
        throw new IllegalArgumentException("no component is named " + unknown);
      }
      return Records.make(
          type,
          Arrays.stream(components)
              .map(each -> value(cells.getOrDefault(each.getName(), ""), each.getType()))
              .toArray());
    } catch (RuntimeException e) {
      throw new IllegalArgumentException("not a " + type.getSimpleName() + ": " + cells, e);
    }
  }

  @SuppressWarnings({"unchecked", "rawtypes"})
  private static Object value(String text, Class<?> type) {
    if (type == String.class) {
      return text;
    }
    if (type == List.class) {
      return text.isEmpty() ? List.of() : List.of(text.split(", *"));
    }
    if (type == boolean.class) {
      return text.equals("true");
    }
    if (type.isEnum()) {
      if (text.isEmpty()) {
        return null;
      }
      return Enum.valueOf((Class) type, text.toUpperCase(Locale.ROOT).replace('-', '_'));
    }
    if (type == double.class) {
      return decimal(text.replace("_", ""));
    }
    Matcher size = SIZE.matcher(text.replace("_", ""));
    if (!size.matches()) {
      throw new IllegalArgumentException(text + " is no size");
    }
    return type == int.class ? (Object) (int) bytes(size) : (Object) bytes(size);
  }

  /** Returns a number, or a quotient such as {@code 1/0.45}; NaN for a dash or an empty text. */
  private static double decimal(String text) {
    int slash = text.indexOf('/');
    if (text.isEmpty() || text.equals("-")) {
      return Double.NaN;
    }
    return slash < 0
        ? Double.parseDouble(text)
        : Double.parseDouble(text.substring(0, slash))
            / Double.parseDouble(text.substring(slash + 1));
  }
}
