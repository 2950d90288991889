// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.tool.console;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.coppice.policy.observe.StrategySnapshot;
import io.coppice.tool.console.watch.Beans;
import io.coppice.tool.console.watch.LiveTable;
import io.coppice.tool.console.watch.ProcessStatus;
import io.coppice.tool.console.watch.RunningCompaction;
import java.util.List;
import java.util.Optional;
import javax.management.ObjectName;
import org.junit.jupiter.api.Test;

class RoomTest {

  private static LiveTable table(long live, long pending, long backlog, long free) {
    LiveTable.Figures figures =
        new LiveTable.Figures(0, 0, 0, live, 0, 0, 0, 0, 0, 0, 0, 0, pending, backlog, 0);
    Optional<StrategySnapshot> snapshot =
        backlog < 0
            ? Optional.empty()
            : Optional.of(
                new StrategySnapshot(
                    "ks.t",
                    "tiered",
                    "tiered",
                    List.of(),
                    List.of(),
                    List.of(),
                    List.of(),
                    new StrategySnapshot.Amplification(1, 1, 0, 0),
                    new StrategySnapshot.Backlog((int) pending, backlog, -1, 0, 0, live, free),
                    List.of()));
    return new LiveTable(
        "ks.t", Beans.Kind.TABLE, ObjectName.WILDCARD, "", "", figures, snapshot, Optional.empty());
  }

  private static RunningCompaction merge(long done, long total, boolean own) {
    return new RunningCompaction("id", "ks.t", "", "", done, total, Double.NaN, 1, own);
  }

  private static ObjectNode room(List<LiveTable> tables, RunningCompaction... running) {
    ObjectNode json = new ObjectMapper().createObjectNode();
    ConsoleJson.room(
        json,
        new ProcessStatus(0, "5.0", ProcessStatus.Limits.UNKNOWN, false, tables, List.of(running)));
    return json;
  }

  @Test
  void whatIsWantedFillsTheDiskUntilItHasRoom() {
    ObjectNode fits = room(List.of(table(100, 1, 30, 50), table(10, 1, 20, 60)));
    assertThat(fits.path("live").asLong()).isEqualTo(110);
    assertThat(fits.path("peak").asLong()).isEqualTo(160);
    assertThat(fits.path("free").asLong()).as("of the fuller disk").isEqualTo(50);
    assertThat(fits.path("overfills").asBoolean()).isFalse();
    assertThat(room(List.of(table(100, 1, 51, 50))).path("overfills").asBoolean()).isTrue();
    ObjectNode unknown = room(List.of(table(100, 1, 51, -1)));
    assertThat(unknown.path("free").isNull()).isTrue();
    assertThat(unknown.path("overfills").asBoolean()).isFalse();
  }

  @Test
  void ofWhatIsUnderWayTheRestOfOurMergesCounts() {
    // What Cassandra tells of its own is not compressed, and a validation writes nothing.
    ObjectNode room = room(List.of(table(100, 0, 0, 50)), merge(30, 70, true), merge(0, 9, false));
    assertThat(room.path("peak").asLong()).isEqualTo(140);
  }

  @Test
  void whoseCompactionItIsIsTold() {
    assertThat(ConsoleJson.compaction(merge(0, 9, true)).path("own").asBoolean(false)).isTrue();
    assertThat(ConsoleJson.compaction(merge(0, 9, false)).path("own").asBoolean(true)).isFalse();
  }

  @Test
  void tablesOfOtherStrategiesThatWantSomethingAreNamedAsNotCounted() {
    ObjectNode room = room(List.of(table(5, 0, -1, -1), table(6, 2, -1, -1), table(7, -1, -1, -1)));
    assertThat(room.path("uncounted").asInt()).isEqualTo(2);
    assertThat(room.path("peak").asLong()).isEqualTo(room.path("live").asLong()).isEqualTo(18);
  }
}
