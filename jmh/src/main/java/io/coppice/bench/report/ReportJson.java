// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.bench.report;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.List;

/** Common form of the JSON files of all suites. */
public final class ReportJson {

  private static final double THOUSANDTHS = 1_000;

  private ReportJson() {}

  /** Returns a report that has its head; the caller adds the rounds and rows. */
  public static ObjectNode of(String suite, String command, Machine machine, List<String> facts) {
    ObjectNode root = JsonNodeFactory.instance.objectNode();
    root.put("suite", suite);
    root.put("command", command);
    root.put("commit", machine.commit());
    root.put("machine", machine.line());
    facts.forEach(root.putArray("facts")::add);
    return root;
  }

  /** Returns a figure rounded to thousandths; null if it is infinite or NaN. */
  public static Double rounded(double figure) {
    return Double.isFinite(figure) ? Math.round(figure * THOUSANDTHS) / THOUSANDTHS : null;
  }

  /**
   * Adds values of a record to a JSON node, rounding decimals to thousandths.
   *
   * @param fields names of the fields, separated by blanks. A name may be followed by an equals
   *     sign and the path of its value, for {@link Records#value}; without one, the name is the
   *     path. An empty path gives null. A dot in a name puts the field into a nested node
   */
  public static ObjectNode fill(ObjectNode node, Record of, String fields) {
    for (String field : fields.split(" ")) {
      String[] words = field.split("=", 2);
      String path = words[words.length - 1];
      put(node, words[0], path.isEmpty() ? null : Records.value(of, path));
    }
    return node;
  }

  /**
   * Adds a value to a JSON node, rounding a decimal to thousandths. A dot in the name puts it into
   * a nested node.
   */
  public static void put(ObjectNode node, String name, Object value) {
    String[] names = name.split("\\.");
    ObjectNode at = names.length == 1 ? node : node.withObject("/" + names[0]);
    at.putPOJO(names[names.length - 1], value instanceof Double it ? rounded(it) : value);
  }
}
