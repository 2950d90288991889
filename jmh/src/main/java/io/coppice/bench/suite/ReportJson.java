// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.bench.suite;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.List;

/** The form that the JSON files of all suites share. */
public final class ReportJson {

  private static final double THOUSANDTHS = 1_000;

  private ReportJson() {}

  /** Returns a report with its head; the caller adds rounds and rows. */
  public static ObjectNode of(String suite, String command, Machine machine, List<String> facts) {
    ObjectNode root = JsonNodeFactory.instance.objectNode();
    root.put("suite", suite);
    root.put("command", command);
    root.put("commit", machine.commit());
    root.put("machine", machine.line());
    facts.forEach(root.putArray("facts")::add);
    return root;
  }

  /** Returns a figure to thousandths; null if it is not finite. */
  public static Double rounded(double figure) {
    return Double.isFinite(figure) ? Math.round(figure * THOUSANDTHS) / THOUSANDTHS : null;
  }

  /**
   * Adds values of a record to a node, doubles to thousandths.
   *
   * @param fields names, separated by blanks; behind an equals sign the path of the value, for
   *     {@link Records#value}, where it differs. An empty path gives null, a dot in a name nests.
   */
  public static ObjectNode fill(ObjectNode node, Record of, String fields) {
    for (String field : fields.split(" ")) {
      String[] words = field.split("=", 2);
      String path = words[words.length - 1];
      put(node, words[0], path.isEmpty() ? null : Records.value(of, path));
    }
    return node;
  }

  /** Adds a value to a node, a double to thousandths; a dot in the name nests. */
  public static void put(ObjectNode node, String name, Object value) {
    String[] names = name.split("\\.");
    ObjectNode at = names.length == 1 ? node : node.withObject("/" + names[0]);
    at.putPOJO(names[names.length - 1], value instanceof Double it ? rounded(it) : value);
  }
}
