// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.tool.console;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.coppice.base.bytes.NameText;
import io.coppice.base.bytes.RandomNames;
import io.coppice.policy.spec.PolicySpec;
import io.coppice.testing.Seeds;
import io.coppice.tool.console.watch.Beans;
import io.coppice.tool.console.watch.ProcessReader;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ConsoleTest {

  @TempDir Path directory;

  private WatchedStore watched;

  @BeforeEach
  void open() throws Exception {
    watched = new WatchedStore(directory.resolve("store"), true);
    watched.awaitSeen();
  }

  @AfterEach
  void close() {
    watched.close();
  }

  @Test
  void tablesAppearWithTheirFiguresAndTheirPlaces() throws Exception {
    watched.write(4000, 1);
    watched.store.flush();
    watched.store.awaitIdle();
    int segments =
        watched.store.family("default").stats().levels().stream()
            .mapToInt(level -> level.segments() - level.virtualSegments())
            .sum();
    JsonNode table =
        watched.await(
            watched.about("/api/table"),
            // The tables of a flush show a moment before it is counted.
            answer ->
                answer.at("/map/level").size() >= segments
                    && segments > 0
                    && answer.at("/row/wa").asDouble() > 0
                    && answer.at("/row/live").asLong() == liveBytes());
    assertThat(table.at("/row/strategy").asText()).isEqualTo("delayed");
    assertThat(table.at("/row/wa").asDouble()).isGreaterThanOrEqualTo(1);
    assertThat(table.at("/row/live").asLong())
        .isEqualTo(watched.store.family("default").stats().tableBytes());
    assertThat(table.at("/map/axis").asText()).isEqualTo("rank");
    for (int i = 0; i < table.at("/map/level").size(); i++) {
      double low = table.at("/map/low/" + i).asDouble();
      double high = table.at("/map/high/" + i).asDouble();
      assertThat(low).isBetween(0.0, high);
      assertThat(high).isBetween(low, 1.0);
      assertThat(table.at("/map/lowKeys/" + i).asText()).startsWith("user");
    }
    assertThat(table.at("/snapshot/tunables").findValuesAsText("name")).contains("vct", "fanout");
    assertThat(table.at("/capacity/0/runs").asInt()).as("l0_trigger").isEqualTo(4);
    assertThat(table.path("capacity")).hasSizeGreaterThan(1);
    assertThat(table.at("/capacity/1/bytes").asLong()).as("five tables").isEqualTo(5 * (16 << 10));
  }

  @Test
  void aProcessTellsHowFullItsDiskMayBecome() throws Exception {
    watched.write(4000, 1);
    watched.store.flush();
    watched.store.awaitIdle();
    JsonNode state =
        watched.await(
            "/api/state",
            one ->
                one.at("/nodes/0/tables/0/live").asLong() == liveBytes()
                    && liveBytes() > 0
                    && one.at("/nodes/0/tables/0/backlog").asLong() == 0
                    && one.at("/nodes/0/compactions").isEmpty());
    JsonNode node = state.at("/nodes/0");
    long live = 0;
    for (JsonNode table : node.path("tables")) {
      live += table.path("live").asLong();
    }
    assertThat(node.path("live").asLong()).isEqualTo(live);
    assertThat(node.path("peak").asLong()).as("nothing is wanted").isEqualTo(live);
    assertThat(node.path("uncounted").asInt()).isZero();
    assertThat(node.path("free").asLong()).isPositive();
    assertThat(node.path("overfills").asBoolean()).isFalse();
    assertThat(node.path("compactors").isNull()).as("a store does not tell").isTrue();
    assertThat(node.path("throughput").isNull()).isTrue();
  }

  @Test
  void whatIsMeasuredAfterAChangeStandsBesideIt() throws Exception {
    post("/api/apply", ",\"options\":\"vct=4\"");
    // What is measured begins with a sample after the change.
    watched.awaitNewerSample();
    watched.write(4000, 1);
    watched.store.flush();
    JsonNode changes =
        watched.await(
            "/api/changes", answer -> answer.at("/changes/0/measured/wa").asDouble() >= 1);
    assertThat(changes.at("/changes/0/measured/over").asBoolean()).isFalse();
    assertThat(changes.at("/changes/0/measured/seconds").asLong()).isBetween(0L, 3600L);
  }

  @Test
  void whatIsMeasuredSinceAChangeIsToldWhileThatIsInForce() throws Exception {
    assertThat(watched.json(watched.about("/api/table")).has("since")).isFalse();
    JsonNode applied = post("/api/apply", ",\"options\":\"vct=4\"");
    watched.awaitNewerSample();
    watched.write(4000, 1);
    watched.store.flush();
    JsonNode table =
        watched.await(
            watched.about("/api/table"),
            answer ->
                answer.at("/since/wa").asDouble() >= 1 && answer.at("/since/sa").asDouble() >= 1);
    assertThat(table.at("/since/change").asText()).isEqualTo(applied.path("id").asText());
    assertThat(table.at("/since/runs").asDouble()).isBetween(0.5, 1e3);
    JsonNode undone = postUndo(applied.path("id").asText());
    JsonNode after = watched.await(watched.about("/api/table"), answer -> !answer.has("since"));
    assertThat(after.at("/changes/0/id").asText()).isEqualTo(undone.path("id").asText());
    watched.await(
        watched.about("/api/table"),
        answer -> answer.at("/snapshot/policy").asText().equals(undone.path("after").asText()));
    assertThat(watched.json(watched.about("/api/table")).has("since")).as("undone").isFalse();

    post("/api/apply", ",\"options\":\"vct=4\"");
    watched.await(watched.about("/api/table"), answer -> answer.has("since"));
    watched.store.policy("delayed,table_size=16KiB,vct=9");
    watched.await(watched.about("/api/table"), answer -> !answer.has("since"));
  }

  @Test
  void changesOfThePolicyAreSeenWhoeverMadeThem() throws Exception {
    String before = watched.store.family("default").policy();
    watched.store.policy("delayed,table_size=16KiB,vct=9");
    JsonNode table =
        watched.await(watched.about("/api/table"), answer -> answer.path("policies").size() == 1);
    assertThat(table.at("/policies/0/before").asText()).isEqualTo(before);
    assertThat(table.at("/policies/0/after").asText()).contains("vct=9");
    assertThat(table.at("/policies/0/at").asLong()).isPositive();
    assertThat(table.path("changes")).isEmpty();
  }

  @Test
  void aLookIsOneCallATableAndOneMoreForItsMapHoweverManyTablesItHas() throws Exception {
    ProcessReader reader = new ProcessReader(new Beans(watched.connection()));
    reader.sample(id -> false, 0);
    List<Integer> calls = new ArrayList<>();
    for (int entries : new int[] {1000, 8000}) {
      watched.write(entries, entries);
      watched.store.flush();
      watched.store.awaitIdle();
      watched.asked.clear();
      reader.sample(id -> false, 0);
      calls.add(watched.asked.size());
      watched.asked.clear();
      reader.sample(id -> true, 0);
      calls.add(watched.asked.size());
    }
    // Apart from the figures of Cassandra's tables, at every fifth look.
    assertThat(calls).as("%s", watched.asked).containsExactly(1, 2, 1, 2);
    assertThat(watched.asked).containsExactly("snapshot", "tableMap");
  }

  @Test
  void aFamilyComesAndGoesWithItsBean() throws Exception {
    watched.store.createFamily("extra");
    String extra = watched.name + "/extra";
    watched.await(
        "/api/state", state -> state.at("/nodes/0/tables").findValuesAsText("id").contains(extra));
    watched.store.dropFamily("extra");
    watched.await(
        "/api/state", state -> !state.at("/nodes/0/tables").findValuesAsText("id").contains(extra));
  }

  @Test
  void familiesOfAnyNameAreShownAndTuned() throws Exception {
    long seed = Seeds.seed(7);
    Random random = new Random(seed);
    Set<String> names = new TreeSet<>();
    while (names.size() < 6) {
      names.add(RandomNames.of(random));
    }
    names.remove("default");
    for (String name : names) {
      watched.store.createFamily(name);
    }
    for (String name : names) {
      String id = watched.name + "/" + NameText.pathPart(name);
      watched.await(
          "/api/state", state -> state.at("/nodes/0/tables").findValuesAsText("id").contains(id));
      String path =
          "/api/table?node="
              + URLEncoder.encode(WatchedStore.NODE, StandardCharsets.UTF_8)
              + "&table="
              + URLEncoder.encode(id, StandardCharsets.UTF_8);
      JsonNode table = watched.await(path, answer -> answer.has("snapshot"));
      assertThat(table.at("/row/id").asText()).isEqualTo(id);
      ObjectNode body = new ObjectMapper().createObjectNode();
      body.put("node", WatchedStore.NODE).put("table", id).put("options", "vct=4");
      HttpAnswer applied = HttpAnswer.post(watched.address(), "/api/apply", body.toString());
      assertThat(applied.status()).as(applied.body()).isEqualTo(200);
      assertThat(watched.store.family(name).policy())
          .as(Seeds.replay(getClass(), seed))
          .contains("vct=4");
    }
    assertThat(watched.kept).hasSize(names.size()).noneMatch(line -> line.contains("\n"));
  }

  @Test
  void aChangeIsPutInForceAndTakenBackOnlyWhileItStillIs() throws Exception {
    String before = watched.store.family("default").policy();
    JsonNode applied = post("/api/apply", ",\"options\":\"vct=4,fanout=6\"");
    assertThat(watched.store.family("default").policy()).contains("vct=4", "fanout=6");
    JsonNode undone = postUndo(applied.path("id").asText());
    assertThat(undone.path("what").asText()).isEqualTo("undo");
    assertThat(watched.store.family("default").policy()).isEqualTo(before);

    String expected = ",\"expected\":\"" + before + "\"";
    JsonNode again = post("/api/apply", ",\"options\":\"vct=5\"" + expected);
    watched.store.policy("delayed,table_size=16KiB,vct=9");
    HttpAnswer late =
        HttpAnswer.post(
            watched.address(), "/api/undo", "{\"change\":\"" + again.path("id").asText() + "\"}");
    assertThat(late.status()).isEqualTo(409);
    assertThat(late.body()).contains("can no longer be undone", "the active policy is delayed,");
    assertThat(watched.store.family("default").policy()).contains("vct=9");
    assertThat(watched.json("/api/changes").path("changes")).hasSize(3);
  }

  @Test
  void undoRestoresAnOptionThatTheRestOfThePolicyHides() throws Exception {
    watched.store.policy("adaptive,table_size=16KiB,rung=4,shards=60,adapt=false");
    String before = watched.store.family("default").policy();
    watched.await(
        watched.about("/api/table"),
        answer -> answer.at("/snapshot/policy").asText().equals(before));
    JsonNode applied = post("/api/apply", ",\"options\":\"rung=3,shards=60\"");
    assertThat(watched.store.family("default").policy()).contains("rung=3");
    postUndo(applied.path("id").asText());
    assertThat(watched.store.family("default").policy()).isEqualTo(before);
  }

  @Test
  void aChangeThatCannotBeKeptIsToldAsInForce() throws Exception {
    watched.diskFull = true;
    JsonNode applied = post("/api/apply", ",\"options\":\"vct=4\"");
    assertThat(applied.path("fault").asText()).contains("not saved on disk", "no room");
    assertThat(watched.store.family("default").policy()).contains("vct=4");
    assertThat(watched.json("/api/changes").at("/changes/0/fault").asText()).contains("no room");
    watched.diskFull = false;
    assertThat(postUndo(applied.path("id").asText()).path("fault").asText()).isEmpty();
    assertThat(watched.store.family("default").policy()).contains("vct=8");
    assertThat(watched.kept).hasSize(1);
  }

  @Test
  void anErrorDoesNotEndTheWatch() throws Exception {
    watched.await("/api/state", state -> state.at("/nodes/0/state").asText().equals("up"));
    watched.broken = true;
    JsonNode lost =
        watched.await("/api/state", state -> state.at("/nodes/0/state").asText().equals("lost"));
    assertThat(lost.at("/nodes/0/message").asText()).contains("a class is missing");
    watched.broken = false;
    watched.await("/api/state", state -> state.at("/nodes/0/state").asText().equals("up"));
  }

  @Test
  void twoOperatorsDoNotOverwriteEachOther() throws Exception {
    String expected = watched.store.family("default").policy();
    post("/api/apply", ",\"options\":\"vct=4\"");
    HttpAnswer second =
        HttpAnswer.post(
            watched.address(),
            "/api/apply",
            watched.body(",\"options\":\"vct=6\",\"expected\":\"" + expected + "\""));
    assertThat(second.status()).isEqualTo(409);
    assertThat(watched.store.family("default").policy()).contains("vct=4");
  }

  @Test
  void wrongOptionsAreRefusedInTheWordsOfThePolicy() throws Exception {
    HttpAnswer wrong =
        HttpAnswer.post(
            watched.address(), "/api/apply", watched.body(",\"options\":\"vct=4000,fan=1\""));
    assertThat(wrong.status()).isEqualTo(409);
    assertThat(wrong.body()).contains("vct", "fan");
    for (String odd : new String[] {"", "vct=", "Leveled", "vct=4;x=1", "vct=(1)", "../x=1"}) {
      HttpAnswer answer =
          HttpAnswer.post(
              watched.address(), "/api/apply", watched.body(",\"options\":\"" + odd + "\""));
      assertThat(answer.status()).as(odd).isEqualTo(400);
    }
    assertThat(watched.store.family("default").policy()).contains("vct=8");
    for (String[] typed :
        new String[][] {
          {"vct=-1", "vct (-1) must be in 0..64"},
          {"vct=<b>\u00e9", "vct (<b>\u00e9) must be a whole number in 0..64"},
          {"leveled,vct=3,fanout=1", "option 'vct' is not understood", "fanout (1) must be in"},
          {"vct=3"},
          {"split-forest,fanout=3"},
        }) {
      JsonNode faults = post("/api/validate", ",\"options\":\"" + typed[0] + "\"").path("faults");
      assertThat(faults).as(typed[0]).hasSize(typed.length - 1);
      for (int i = 1; i < typed.length; i++) {
        assertThat(faults.path(i - 1).asText() + faults.path(i % Math.max(1, faults.size())))
            .contains(typed[i]);
      }
    }
    assertThat(
            HttpAnswer.post(
                    watched.address(),
                    "/api/validate",
                    watched.body(",\"options\":\"vct=" + "9".repeat(3000) + "\""))
                .status())
        .isEqualTo(400);
  }

  @Test
  void aWholePolicyIsPutInForceAndTakenBack() throws Exception {
    String before = watched.store.family("default").policy();
    JsonNode applied = post("/api/apply", ",\"options\":\"split-forest,fanout=3\"");
    assertThat(watched.store.family("default").policy()).startsWith("split-forest,fanout=3,");
    JsonNode changes =
        watched.await(
            "/api/changes", answer -> answer.at("/changes/0/undoFault").asText("?").isEmpty());
    assertThat(changes.at("/changes/0/after").asText()).startsWith("split-forest");
    postUndo(applied.path("id").asText());
    assertThat(watched.store.family("default").policy()).isEqualTo(before);
    JsonNode policies = watched.json(watched.about("/api/policies")).path("policies");
    assertThat(policies.findValuesAsText("name")).containsAll(PolicySpec.policyNames());
  }

  @Test
  void undoIsOfferedForTheLastChangeAloneAndWhileItIsInForce() throws Exception {
    post("/api/apply", ",\"options\":\"vct=4\"");
    post("/api/apply", ",\"options\":\"vct=5\"");
    JsonNode changes =
        watched.await(
            "/api/changes", answer -> answer.at("/changes/0/undoFault").asText("?").isEmpty());
    assertThat(changes.at("/changes/1/undoFault").asText()).contains("another change");
    watched.store.policy("delayed,table_size=16KiB,vct=9");
    watched.await(
        "/api/changes", answer -> answer.at("/changes/0/undoFault").asText().contains("another"));
    watched.reachable = false;
    watched.await(
        "/api/changes",
        answer -> answer.at("/changes/0/undoFault").asText().contains("does not answer"));
  }

  @Test
  void valuesAreSuggestedByWhatTheSimulatorSaysOfThem() throws Exception {
    for (int i = 0; i < 12; i++) {
      watched.write(600, i);
      watched.store.flush();
      watched.store.awaitIdle();
    }
    watched.await(
        watched.about("/api/table"), table -> table.at("/row/live").asLong() == liveBytes());
    JsonNode said = post("/api/suggest", "");
    assertThat(said.path("tried").asInt() + said.path("left").asInt()).isGreaterThan(12);
    assertThat(said.path("better")).isNotEmpty();
    double last = 0;
    for (JsonNode one : said.path("better")) {
      JsonNode report = one.path("report");
      double product = 1;
      boolean better = false;
      for (String figure : new String[] {"wa", "runs", "sa"}) {
        double now = said.path("present").path(figure).asDouble();
        product *= report.path(figure).asDouble();
        better |= report.path(figure).asDouble() < now;
      }
      assertThat(better).as("%s", one).isTrue();
      assertThat(product).isGreaterThanOrEqualTo(last);
      last = product;
      // Each can be put in force as it is.
      JsonNode faults =
          post("/api/validate", ",\"options\":\"" + one.path("change").asText() + "\"");
      assertThat(faults.path("faults")).isEmpty();
    }
  }

  @Test
  void aNodeThatIsLostAndFoundAgainIsToldSo() throws Exception {
    watched.await("/api/state", state -> state.at("/nodes/0/state").asText().equals("up"));
    watched.reachable = false;
    JsonNode lost =
        watched.await("/api/state", state -> state.at("/nodes/0/state").asText().equals("lost"));
    assertThat(lost.at("/nodes/0/message").asText()).contains("nobody is there");
    // What was seen last stays, with its time.
    assertThat(lost.at("/nodes/0/tables").findValuesAsText("id")).contains(watched.table());
    assertThat(lost.at("/nodes/0/seen").asLong()).isLessThan(lost.path("now").asLong());
    HttpAnswer applied =
        HttpAnswer.post(watched.address(), "/api/apply", watched.body(",\"options\":\"vct=4\""));
    assertThat(applied.status()).isEqualTo(502);
    watched.reachable = true;
    watched.await("/api/state", state -> state.at("/nodes/0/state").asText().equals("up"));
  }

  @Test
  void oldPicturesAreKeptForReplay() throws Exception {
    watched.write(3000, 2);
    watched.store.flush();
    JsonNode first =
        watched.await(watched.about("/api/table"), table -> table.path("times").size() >= 1);
    watched.write(3000, 3);
    watched.store.flush();
    JsonNode later =
        watched.await(
            watched.about("/api/table"),
            table -> table.path("times").size() > first.path("times").size());
    assertThat(later.at("/series/sa").size()).isEqualTo(later.at("/series/at").size());
    long at = later.at("/times/0").asLong();
    JsonNode picture = watched.json(watched.about("/api/picture") + "&at=" + at);
    assertThat(picture.at("/map/at").asLong()).isBetween(at, later.at("/times/1").asLong() - 1);
    assertThat(picture.at("/map/level").size()).isEqualTo(picture.at("/map/bytes").size());
    assertThat(picture.path("decisions"))
        .allSatisfy(one -> assertThat(one.path("at").asLong()).isLessThanOrEqualTo(at));
  }

  @Test
  void aChangeIsSimulatedFromTheLivingTable() throws Exception {
    for (int i = 0; i < 12; i++) {
      watched.write(600, i);
      watched.store.flush();
      watched.store.awaitIdle();
      if (i == 0) {
        watched.await(watched.about("/api/table"), table -> table.at("/row/live").asLong() > 0);
      }
    }
    watched.await(
        watched.about("/api/table"),
        table ->
            table.at("/row/live").asLong() == liveBytes() && table.at("/row/wa").asDouble() > 1);
    HttpAnswer answer =
        HttpAnswer.post(watched.address(), "/api/simulate", watched.body(",\"options\":\"vct=0\""));
    assertThat(answer.status()).as(answer.body()).isEqualTo(200);
    JsonNode said = new ObjectMapper().readTree(answer.body());
    assertThat(said.path("policy").asText()).contains("vct=0");
    assertThat(said.at("/present/wa").asDouble()).isGreaterThanOrEqualTo(1);
    assertThat(said.at("/proposed/wa").asDouble()).isGreaterThanOrEqualTo(1);
    assertThat(said.at("/proposed/sa").asDouble()).isGreaterThan(0.8);
    assertThat(said.at("/measured/wa").asDouble()).isGreaterThan(1);
    double runs = watched.json(watched.about("/api/table")).at("/row/runs").asDouble();
    assertThat(said.at("/measured/runs").asDouble()).as("of all runs").isBetween(0.5, runs + 1e-9);
    assertThat(said.at("/error/simulated").asDouble()).isGreaterThan(1);
    assertThat(said.path("notes")).isNotEmpty();
    assertThat(said.path("free").asLong()).isPositive();
    assertThat(said.path("overfills").asBoolean()).isFalse();
    assertThat(watched.store.family("default").policy()).contains("vct=8");
    HttpAnswer wrong =
        HttpAnswer.post(
            watched.address(), "/api/simulate", watched.body(",\"options\":\"vct=999\""));
    assertThat(wrong.status()).isEqualTo(409);
    assertThat(wrong.body()).contains("vct (999) must be in 0..64");
  }

  private long liveBytes() {
    return watched.store.family("default").stats().tableBytes();
  }

  private JsonNode post(String path, String members) throws Exception {
    HttpAnswer answer = HttpAnswer.post(watched.address(), path, watched.body(members));
    assertThat(answer.status()).as(answer.body()).isEqualTo(200);
    return new ObjectMapper().readTree(answer.body());
  }

  private JsonNode postUndo(String change) throws Exception {
    HttpAnswer answer =
        HttpAnswer.post(watched.address(), "/api/undo", "{\"change\":\"" + change + "\"}");
    assertThat(answer.status()).as(answer.body()).isEqualTo(200);
    return new ObjectMapper().readTree(answer.body());
  }
}
