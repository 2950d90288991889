// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.bench.report;

import java.lang.reflect.Constructor;
import java.lang.reflect.Field;
import java.lang.reflect.Method;
import java.lang.reflect.RecordComponent;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;

/** Access to the components of records by name. */
public final class Records {

  private Records() {}

  /**
   * Returns the value at the end of a path of accessors and constants, separated by dots; null if
   * one of them returns null.
   */
  public static Object at(Record record, String path) {
    Object at = record;
    try {
      for (String name : path.split("\\.")) {
        if (at != null && Character.isUpperCase(name.charAt(0))) {
          Field constant = at.getClass().getDeclaredField(name);
          constant.setAccessible(true);
          at = constant.get(null);
        } else if (at != null) {
          Class<?> type = at instanceof LabeledConstant ? LabeledConstant.class : at.getClass();
          Method accessor = type.getDeclaredMethod(name);
          accessor.setAccessible(true);
          at = accessor.invoke(at);
        }
      }
      return at;
    } catch (ReflectiveOperationException e) {
      throw new IllegalArgumentException(record + " has no " + path, e);
    }
  }

  /**
   * Returns the value of an expression; null if it has none.
   *
   * @param of a path of accessors, optionally followed by a slash and a number that divides the
   *     value
   */
  public static Object value(Record record, String of) {
    String[] parts = of.split("/");
    Object value = at(record, parts[0]);
    return parts.length == 1 || value == null
        ? value
        : (Object) (((Number) value).doubleValue() / Double.parseDouble(parts[1]));
  }

  /**
   * Returns a copy of a record with other values of some components.
   *
   * @param names names of the components, separated by blanks
   * @param values their values, in the same order
   */
  public static <T extends Record> T with(T record, String names, Object... values) {
    Map<String, Object> changed = new HashMap<>();
    String[] each = names.split(" ");
    for (int i = 0; i < each.length; i++) {
      changed.put(each[i], values[i]);
    }
    @SuppressWarnings("unchecked")
    Class<T> type = (Class<T>) record.getClass();
    Object[] all =
        Arrays.stream(type.getRecordComponents())
            .map(RecordComponent::getName)
            .map(name -> changed.containsKey(name) ? changed.remove(name) : at(record, name))
            .toArray();
    if (!changed.isEmpty()) {
      throw new IllegalArgumentException(type.getSimpleName() + " has no " + changed.keySet());
    }
    return make(type, all);
  }

  /** Returns a record with these values of its components. */
  static <T extends Record> T make(Class<T> type, Object... values) {
    try {
      Constructor<T> constructor =
          type.getDeclaredConstructor(
              Arrays.stream(type.getRecordComponents())
                  .map(RecordComponent::getType)
                  .toArray(Class<?>[]::new));
      constructor.setAccessible(true);
      return constructor.newInstance(values);
    } catch (ReflectiveOperationException e) {
      throw new IllegalArgumentException("not a " + type.getSimpleName(), e);
    }
  }
}
