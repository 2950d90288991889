// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.tool.console.watch;

import io.coppice.base.Causes;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import javax.management.Attribute;
import javax.management.InstanceNotFoundException;
import javax.management.JMException;
import javax.management.MBeanServerConnection;
import javax.management.ObjectName;
import javax.management.RuntimeErrorException;
import javax.management.RuntimeMBeanException;

/**
 * The JMX beans that the console may access in a process: names of a few fixed forms and, for each
 * form, a few attributes and operations. Requests cannot supply a name; they choose among the names
 * that were found. Used by one thread at a time.
 */
public final class Beans {

  private static final String WORD = "\\w+";

  /**
   * Form of a name: a plain name, or what {@link ObjectName#quote} makes of the name of a family,
   * which has at most 255 bytes. Name patterns are refused separately.
   */
  private static final String NAME = "[\\w.-]+|\"(?:[^\"*?\\\\\\n]|\\\\[\"*?\\\\n]){1,255}\"";

  /**
   * A form of bean name, with its domain and a pattern that each key property must match entirely.
   * It lists the attributes that may be read, the operations without effect, and the operations
   * that change something.
   */
  public enum Kind {
    STRATEGY(
        "io.coppice",
        Map.of("type", "Strategy", "keyspace", WORD, "table", WORD),
        Set.of("Configuration"),
        Set.of("snapshot", "tableMap", "validate"),
        Set.of("apply", "revert", "stopMerge")),
    STORE(
        "io.coppice",
        Map.of("type", "Store", "name", NAME, "family", NAME),
        Set.of("Configuration"),
        Set.of("snapshot", "tableMap", "validate"),
        Set.of("apply", "revert", "stopMerge")),
    TABLE(
        "org.apache.cassandra.db",
        Map.of("type", "Tables", "keyspace", WORD, "table", WORD),
        Set.of("CompactionParametersJson"),
        Set.of(),
        Set.of()),
    METRIC(
        "org.apache.cassandra.metrics",
        Map.of("type", "Table", "keyspace", WORD, "scope", WORD, "name", WORD),
        Set.of("Count", "Value", "Mean", "99thPercentile"),
        Set.of(),
        Set.of()),
    COMPACTIONS(
        "org.apache.cassandra.db",
        Map.of("type", "CompactionManager"),
        Set.of("Compactions"),
        Set.of(),
        Set.of("stopCompactionById")),
    STORAGE(
        "org.apache.cassandra.db",
        Map.of("type", "StorageService"),
        Set.of("ReleaseVersion", "ConcurrentCompactors", "CompactionThroughtputBytesPerSec"),
        Set.of(),
        Set.of()),
    RUNTIME(
        "java.lang",
        Map.of("type", "Runtime"),
        Set.of("ClassPath", "SpecVersion"),
        Set.of(),
        Set.of());

    private final String domain;
    private final Map<String, String> keys;
    private final Set<String> attributes;
    private final Set<String> questions;
    private final Set<String> changes;

    Kind(
        String domain,
        Map<String, String> keys,
        Set<String> attributes,
        Set<String> questions,
        Set<String> changes) {
      this.domain = domain;
      this.keys = keys;
      this.attributes = attributes;
      this.questions = questions;
      this.changes = changes;
    }

    /** Returns whether the name has this form and is no pattern. */
    boolean has(ObjectName name) {
      return !name.isPattern()
          && name.getDomain().equals(domain)
          && name.getKeyPropertyList().keySet().equals(keys.keySet())
          && keys.entrySet().stream()
              .allMatch(key -> Pattern.matches(key.getValue(), name.getKeyProperty(key.getKey())));
    }
  }

  /** A failure of a bean that is gone or refuses the call, over a connection that still works. */
  public static final class RefusedException extends Exception {
    private static final long serialVersionUID = 1;

    RefusedException(String message, Throwable cause) {
      super(message, cause);
    }
  }

  private final MBeanServerConnection beans;

  public Beans(MBeanServerConnection beans) {
    this.beans = beans;
  }

  /**
   * Returns the names of all present beans of a form, in alphabetical order.
   *
   * @throws IOException if the connection is lost
   */
  List<ObjectName> names(Kind kind) throws IOException {
    List<ObjectName> names = new ArrayList<>();
    for (ObjectName name :
        beans.queryNames(name(kind.domain + ":type=" + kind.keys.get("type") + ",*"), null)) {
      if (kind.has(name)) {
        names.add(name);
      }
    }
    Collections.sort(names);
    return names;
  }

  /** Returns the name of the only bean of a form, whose only property is its type. */
  public static ObjectName only(Kind kind) {
    return name(kind.domain + ":type=" + kind.keys.get("type"));
  }

  /**
   * Returns the name of the bean of a metric of one of Cassandra's tables.
   *
   * @throws IllegalArgumentException if a part has characters that a name must not have
   */
  static ObjectName metric(String keyspace, String table, String metric) {
    return name(
        Kind.METRIC.domain
            + ":type=Table,keyspace="
            + keyspace
            + ",scope="
            + table
            + ",name="
            + metric);
  }

  private static ObjectName name(String text) {
    try {
      return new ObjectName(text);
    } catch (JMException e) {
      throw new IllegalArgumentException(text, e);
    }
  }

  /**
   * Returns the value of an attribute.
   *
   * @throws IllegalArgumentException if the console may not read the attribute
   * @throws RefusedException if the bean is gone or refuses
   * @throws IOException if the connection is lost
   */
  public Object get(Kind kind, ObjectName name, String attribute)
      throws IOException, RefusedException {
    check(kind, name, kind.attributes.contains(attribute), attribute);
    try {
      return beans.getAttribute(name, attribute);
    } catch (JMException | RuntimeException e) {
      throw refused(e);
    }
  }

  /**
   * Invokes an operation without effect and returns its result.
   *
   * @throws IllegalArgumentException if the console may not call the operation
   * @throws RefusedException if the bean is gone or refuses
   * @throws IOException if the connection is lost
   */
  public Object ask(Kind kind, ObjectName name, String operation, String... arguments)
      throws IOException, RefusedException {
    check(kind, name, kind.questions.contains(operation), operation);
    return invoke(name, operation, arguments);
  }

  /**
   * Invokes an operation that changes something and returns its result.
   *
   * @throws IllegalArgumentException if the console may not call the operation
   * @throws RefusedException if the bean is gone or refuses
   * @throws IOException if the connection is lost; the operation may have taken effect
   */
  public Object change(Kind kind, ObjectName name, String operation, String... arguments)
      throws IOException, RefusedException {
    check(kind, name, kind.changes.contains(operation), operation);
    return invoke(name, operation, arguments);
  }

  /**
   * Sets the compaction parameters of one of Cassandra's tables, on this node alone, until it
   * restarts.
   *
   * @throws IllegalArgumentException if the name is no table's
   * @throws RefusedException if the table is gone or refuses the parameters
   * @throws IOException if the connection is lost; the parameters may have taken effect
   */
  void compaction(ObjectName table, String json) throws IOException, RefusedException {
    check(Kind.TABLE, table, true, "");
    try {
      beans.setAttribute(table, new Attribute("CompactionParametersJson", json));
    } catch (JMException | RuntimeException e) {
      throw refused(e);
    }
  }

  private Object invoke(ObjectName name, String operation, String[] arguments)
      throws IOException, RefusedException {
    String[] types = new String[arguments.length];
    Arrays.fill(types, String.class.getName());
    try {
      return beans.invoke(name, operation, arguments, types);
    } catch (JMException | RuntimeException e) {
      throw refused(e);
    }
  }

  private static void check(Kind kind, ObjectName name, boolean known, String member) {
    if (!kind.has(name) || !known) {
      throw new IllegalArgumentException(member + " of " + name + " is not for the console");
    }
  }

  private static RefusedException refused(Exception failure) {
    if (failure instanceof InstanceNotFoundException) {
      return new RefusedException("its bean no longer exists", failure);
    }
    Throwable cause =
        failure instanceof RuntimeMBeanException || failure instanceof RuntimeErrorException
            ? failure.getCause()
            : failure;
    Throwable withMessage = Causes.first(cause, one -> one.getMessage() != null);
    return new RefusedException(
        Causes.said(withMessage == null ? Causes.innermost(cause) : withMessage), failure);
  }
}
