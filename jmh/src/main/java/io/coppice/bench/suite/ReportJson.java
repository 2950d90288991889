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
}
