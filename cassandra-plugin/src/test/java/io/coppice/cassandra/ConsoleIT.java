// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.cassandra;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.coppice.cassandra.node.ConsoleSteps;
import io.coppice.cassandra.node.OnJdk17;
import java.net.URLEncoder;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.Test;

/** The packaged console on a real node, over JMX with TLS and a password, by what it answers. */
@OnJdk17
final class ConsoleIT {

  /** Flags of a tool that waits for a busy node as long as it takes. */
  private static final List<String> NO_LIMITS =
      List.of(
          "-Dsun.rmi.transport.tcp.responseTimeout=0",
          "-Dsun.rmi.transport.tcp.handshakeTimeout=0");

  @Test
  void tablesOfAllStrategiesAreSeenAndOneOnOneNodeIsACanary() throws Exception {
    try (ConsoleNode node = ConsoleNode.start("console")) {
      JsonNode state =
          node.await(
              "/api/state",
              all ->
                  all.at("/nodes/0/tables").size() == 5
                      && all.at("/nodes/1/tables").size() == 5
                      && busy(all));
      for (String[] table : ConsoleSteps.TABLES) {
        JsonNode row = row(state, 0, "ks." + table[0]);
        assertThat(row.path("ours").asBoolean()).isEqualTo(table[1].startsWith("io.coppice"));
        assertThat(row.path("live").asLong()).as(table[0]).isPositive();
      }
      assertThat(row(state, 0, "ks.orders").path("strategy").asText()).isEqualTo("delayed");
      assertThat(row(state, 0, "ks.by_level").path("strategy").asText())
          .isEqualTo("LeveledCompactionStrategy");
      assertThat(row(state, 1, "ks.unified").path("strategy").asText())
          .isEqualTo("UnifiedCompactionStrategy");

      strategiesOfCassandraHaveFiguresAndNoPicture(node);
      whatADelayLeftIsVirtual(node);
      aChangeOnOneNodeIsACanary(node);
      whoHasNoRightSeesNothing(node);
      assertThat(node.end()).isZero();
    }
  }

  private static boolean busy(JsonNode state) {
    return StreamSupport.stream(state.at("/nodes/0/tables").spliterator(), false)
        .allMatch(table -> table.path("live").asLong() > 0);
  }

  private static JsonNode row(JsonNode state, int node, String table) {
    return StreamSupport.stream(state.at("/nodes/" + node + "/tables").spliterator(), false)
        .filter(row -> row.path("id").asText().equals(table))
        .findFirst()
        .orElseThrow(() -> new AssertionError(table + " is not in " + state));
  }

  private static String about(ConsoleNode node, String table) {
    return "/api/table?node="
        + URLEncoder.encode(node.node(), StandardCharsets.UTF_8)
        + "&table=ks."
        + table;
  }

  private static void strategiesOfCassandraHaveFiguresAndNoPicture(ConsoleNode node) {
    for (String table : List.of("by_size", "by_level", "unified")) {
      JsonNode answer =
          node.await(
              about(node, table),
              one -> one.at("/series/at").size() > 1 && one.at("/row/wa").asDouble() >= 1);
      assertThat(answer.has("map")).as(table).isFalse();
      assertThat(answer.has("snapshot")).as(table).isFalse();
      assertThat(answer.path("parameters").asText()).contains("CompactionStrategy");
      assertThat(answer.at("/row/tables").asLong()).as(table).isPositive();
    }
  }

  /** What a delay put into one place overlaps there, and hangs together until it is merged. */
  private static void whatADelayLeftIsVirtual(ConsoleNode node) {
    JsonNode orders = node.await(about(node, "orders"), one -> virtual(one) >= 2);
    JsonNode map = orders.path("map");
    for (int i = 0; i < map.path("group").size(); i++) {
      boolean virtual = map.at("/group/" + i).asLong() != 0;
      assertThat(map.at("/parents/" + i).asInt()).isBetween(virtual ? 2 : 0, virtual ? 99 : 0);
      assertThat(virtual && map.at("/level/" + i).asInt() == 0).isFalse();
    }
    JsonNode carts = node.await(about(node, "carts"), one -> one.at("/map/level").size() > 3);
    assertThat(virtual(carts)).as("a forest has runs").isZero();
  }

  private static long virtual(JsonNode table) {
    return StreamSupport.stream(table.at("/map/group").spliterator(), false)
        .filter(group -> group.asLong() != 0)
        .count();
  }

  private static void aChangeOnOneNodeIsACanary(ConsoleNode node) {
    String what = "{\"node\":\"" + node.node() + "\",\"table\":\"ks.orders\"";
    JsonNode applied = node.post("/api/apply", what + ",\"options\":\"vct=4\"}");
    assertThat(applied.path("after").asText()).contains("vct=4");
    JsonNode state =
        node.await("/api/state", all -> row(all, 0, "ks.orders").path("tuned").asBoolean());
    // What the page shows side by side; here both names are of one node.
    assertThat(state.at("/nodes/0/name").asText()).isEqualTo(node.node());
    assertThat(state.at("/nodes/1/name").asText()).isEqualTo(node.other());
    for (int i = 0; i < 2; i++) {
      JsonNode row = row(state, i, "ks.orders");
      assertThat(row.fieldNames())
          .toIterable()
          .contains("strategy", "seenWa", "wa", "ra", "sa", "live", "readP99", "pending");
    }
    JsonNode undone =
        node.post("/api/undo", "{\"change\":\"" + applied.path("id").asText() + "\"}");
    assertThat(undone.path("after").asText()).contains("vct=8");
    HttpResponse<String> late =
        node.order("/api/undo", "{\"change\":\"" + applied.path("id").asText() + "\"}");
    assertThat(late.statusCode()).as("it is taken back already").isEqualTo(409);
    assertThat(late.body()).contains("can no longer be undone", "was expected; read the policy");
    assertThat(node.await("/api/changes", all -> true).path("changes")).hasSize(2);
  }

  private static void whoHasNoRightSeesNothing(ConsoleNode node) throws Exception {
    List<String> trusting = new ArrayList<>(node.trusting());
    trusting.addAll(NO_LIMITS);
    assertThat(top(node, trusting, true, "--ssl"))
        .contains("ks.orders")
        .containsPattern("[0-9]+ compactions? on ");
    assertThat(top(node, trusting, false, "--ssl"))
        .contains("does not answer JMX", "Invalid username or password");
    assertThat(top(node, List.of(), true, "--ssl")).as("nobody vouches").contains("lost: ");
    assertThat(top(node, trusting, true)).as("TLS is asked for").contains("lost: ");
  }

  /** What is seen of the node in a terminal. */
  private static String top(
      ConsoleNode node, List<String> flags, boolean rightPassword, String... options)
      throws Exception {
    List<String> words = new ArrayList<>(List.of("top", "--times=1", "--jmx=" + node.node()));
    words.addAll(List.of(options));
    Process top = node.tool(flags, words, rightPassword).start();
    String seen = new String(top.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    int code = top.waitFor();
    assertThat(code).as(node.complaint()).isEqualTo(seen.contains("lost: ") ? 1 : 0);
    return seen;
  }
}
