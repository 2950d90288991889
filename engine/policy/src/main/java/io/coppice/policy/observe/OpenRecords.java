// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.policy.observe;

import java.lang.reflect.Constructor;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.RecordComponent;
import java.lang.reflect.Type;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import javax.management.openmbean.ArrayType;
import javax.management.openmbean.CompositeData;
import javax.management.openmbean.CompositeDataSupport;
import javax.management.openmbean.CompositeType;
import javax.management.openmbean.OpenDataException;
import javax.management.openmbean.OpenType;
import javax.management.openmbean.SimpleType;

/**
 * Conversion between public records and JMX open data, so that clients need none of Coppice's
 * classes. A component is an int, a long, a double, a boolean, a string, a record, an array of
 * numbers, or a list of strings or records. Component names stay unchanged. Beans of JDK 17 cannot
 * convert records themselves, because they look for getters.
 */
public final class OpenRecords {

  private static final Map<Class<?>, OpenType<?>> SIMPLE =
      Map.of(
          int.class, SimpleType.INTEGER,
          long.class, SimpleType.LONG,
          double.class, SimpleType.DOUBLE,
          boolean.class, SimpleType.BOOLEAN,
          String.class, SimpleType.STRING);

  /** Values of components that an older version omits, by type. */
  private static final Map<Class<?>, Object> OMITTED =
      Map.of(long.class, -1L, long[].class, new long[0]);

  /** Forms of record classes, each computed once. */
  private static final Map<Class<?>, Form> FORMS = new ConcurrentHashMap<>();

  /** Components, component names and open type of a record class. */
  private record Form(RecordComponent[] components, String[] names, CompositeType type) {
    static Form of(Class<?> record) {
      Form known = FORMS.get(record);
      if (known != null) {
        return known;
      }
      RecordComponent[] components = record.getRecordComponents();
      String[] names = new String[components.length];
      OpenType<?>[] types = new OpenType<?>[components.length];
      try {
        for (int i = 0; i < components.length; i++) {
          names[i] = components[i].getName();
          types[i] = OpenRecords.type(components[i].getGenericType());
        }
        String name = record.getSimpleName();
        CompositeType type = new CompositeType(name, name, names, names, types);
        Form form = new Form(components, names, type);
        FORMS.put(record, form);
        return form;
      } catch (OpenDataException e) {
        throw new IllegalArgumentException(record + " has no open form: " + e, e);
      }
    }
  }

  private OpenRecords() {}

  /**
   * Returns the record as JMX open data.
   *
   * @throws IllegalArgumentException if a component has a type that open data cannot carry
   */
  public static CompositeData open(Record record) {
    Form form = Form.of(record.getClass());
    try {
      Object[] values = new Object[form.names.length];
      for (int i = 0; i < values.length; i++) {
        Object value = form.components[i].getAccessor().invoke(record);
        values[i] = openValue(form.components[i].getGenericType(), value);
      }
      return new CompositeDataSupport(form.type, form.names, values);
    } catch (OpenDataException | ReflectiveOperationException e) {
      throw new IllegalArgumentException(record.getClass() + " has no open form: " + e, e);
    }
  }

  private static Object openValue(Type type, Object value) {
    if (value instanceof Record inner) {
      return open(inner);
    }
    if (!(value instanceof List<?> list)) {
      return value;
    }
    Class<?> element = element(type);
    return element == String.class
        ? list.toArray(String[]::new)
        : list.stream().map(one -> open((Record) one)).toArray(CompositeData[]::new);
  }

  /**
   * Returns the record that open data represents. A long that an older version omits is -1, and an
   * array of longs is empty.
   *
   * @throws IllegalArgumentException if the data was made from records with other components, or
   *     the record's constructor rejects the values
   */
  public static <R extends Record> R read(CompositeData data, Class<R> record) {
    RecordComponent[] components = record.getRecordComponents();
    Class<?>[] types = new Class<?>[components.length];
    Object[] values = new Object[components.length];
    try {
      for (int i = 0; i < components.length; i++) {
        types[i] = components[i].getType();
        String name = components[i].getName();
        Object omitted = data.containsKey(name) ? null : OMITTED.get(types[i]);
        values[i] =
            omitted == null ? readValue(components[i].getGenericType(), data.get(name)) : omitted;
      }
      Constructor<R> constructor = record.getDeclaredConstructor(types);
      return constructor.newInstance(values);
    } catch (InvocationTargetException e) {
      throw new IllegalArgumentException(record + " refuses what it was read from", e.getCause());
    } catch (ReflectiveOperationException | RuntimeException e) {
      throw new IllegalArgumentException("these data were made of no " + record.getName(), e);
    }
  }

  private static Object readValue(Type type, Object value) {
    if (value instanceof CompositeData inner) {
      return read(inner, ((Class<?>) type).asSubclass(Record.class));
    }
    if (value instanceof String[] texts) {
      return List.of(texts);
    }
    if (value instanceof CompositeData[] inner) {
      Class<? extends Record> element = element(type).asSubclass(Record.class);
      List<Object> records = new ArrayList<>();
      Arrays.stream(inner).forEach(one -> records.add(read(one, element)));
      return records;
    }
    return value;
  }

  private static OpenType<?> type(Type type) throws OpenDataException {
    if (type instanceof ParameterizedType) {
      return new ArrayType<>(1, type((Type) element(type)));
    }
    if (type instanceof Class<?> array && array.isArray()) {
      return ArrayType.getPrimitiveArrayType(array);
    }
    OpenType<?> simple = SIMPLE.get((Class<?>) type);
    return simple == null ? Form.of((Class<?>) type).type : simple;
  }

  /** Returns the element class of a list type. */
  private static Class<?> element(Type list) {
    return (Class<?>) ((ParameterizedType) list).getActualTypeArguments()[0];
  }
}
