// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.tool.console;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;

/**
 * A change that somebody made by the console.
 *
 * @param id unique among all changes kept
 * @param who the user of the operating system who ran the console
 * @param what {@code apply}, {@code undo} or {@code stop}
 * @param before what was in force, the text of a policy; of a merge that was stopped its kind
 * @param after what was in force then; of a merge that was stopped why it was planned
 * @param forecast what the simulator had said, as JSON, or an empty text
 */
record Change(
    String id,
    long atMillis,
    String who,
    String node,
    String table,
    String what,
    String before,
    String after,
    String forecast) {

  private static final ObjectMapper JSON = new ObjectMapper();

  /** As one line. */
  String line() {
    return json().toString();
  }

  ObjectNode json() {
    ObjectNode node = JSON.createObjectNode();
    node.put("id", id);
    node.put("at", atMillis);
    node.put("who", who);
    node.put("node", this.node);
    node.put("table", table);
    node.put("what", what);
    node.put("before", before);
    node.put("after", after);
    node.put("forecast", forecast);
    return node;
  }

  /**
   * Reads a line.
   *
   * @throws IOException if it is none of ours
   */
  static Change read(String line) throws IOException {
    JsonNode node = JSON.readTree(line);
    if (node == null || !node.path("id").isTextual()) {
      throw new IOException("not a change");
    }
    return new Change(
        node.path("id").asText(),
        node.path("at").asLong(),
        node.path("who").asText(),
        node.path("node").asText(),
        node.path("table").asText(),
        node.path("what").asText(),
        node.path("before").asText(),
        node.path("after").asText(),
        node.path("forecast").asText());
  }
}
