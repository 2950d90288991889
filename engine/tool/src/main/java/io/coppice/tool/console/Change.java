// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.tool.console;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;

/**
 * A change that a user made through the console.
 *
 * @param id unique among all saved changes
 * @param atMillis time in milliseconds since 1970
 * @param who the operating system user that ran the console
 * @param node the name of the process, see {@code Endpoint}
 * @param table the id of the table in that process, see {@code LiveTable}
 * @param what {@code apply}, {@code undo} or {@code stop}
 * @param before the policy text before the change; for a stopped merge, its kind
 * @param after the policy text after the change; for a stopped merge, why it was planned
 * @param forecast the forecast of the simulator as JSON, or an empty text
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

  /** Returns the change as one line of JSON. */
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
   * Returns the change that a line of JSON describes; a missing field other than the id is empty or
   * 0.
   *
   * @throws IOException if the line is no change
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
