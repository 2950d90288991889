// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.tool.console;

import static org.assertj.core.api.Assertions.assertThat;

import io.coppice.tool.console.watch.DownsampledHistory;
import io.coppice.tool.console.watch.LiveTable;
import java.util.ArrayList;
import java.util.List;
import java.util.function.LongUnaryOperator;
import org.junit.jupiter.api.Test;

class BacklogWarningTest {

  private static final long MINUTE = 60_000;

  private static List<DownsampledHistory.Seen<LiveTable.Figures>> backlogs(
      long minutes, LongUnaryOperator backlog) {
    List<DownsampledHistory.Seen<LiveTable.Figures>> seen = new ArrayList<>();
    for (long minute = 0; minute <= minutes; minute++) {
      LiveTable.Figures figures =
          new LiveTable.Figures(
              0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, backlog.applyAsLong(minute), 0);
      seen.add(new DownsampledHistory.Seen<>(minute * MINUTE, figures));
    }
    return seen;
  }

  private static Change change(long minute, String what, String after) {
    return new Change(
        what + minute, minute * MINUTE, "me", "node", "t", what, "leveled", after, "");
  }

  @Test
  void backlogThatGrowsForTenMinutesAfterAChangeIsLaidToIt() {
    List<DownsampledHistory.Seen<LiveTable.Figures>> seen = backlogs(30, minute -> 100 + minute);
    List<Change> changes = List.of(change(5, "apply", "leveled,fanout=4"));
    BacklogWarning growth =
        BacklogWarning.of(seen, changes, "leveled,fanout=4", 15 * MINUTE).orElseThrow();
    assertThat(growth.change()).isEqualTo(changes.get(0));
    assertThat(growth.fromBytes()).isEqualTo(105);
    assertThat(growth.toBytes()).isEqualTo(115);
    assertThat(BacklogWarning.of(seen, changes, "leveled,fanout=4", 14 * MINUTE))
        .as("too early")
        .isEmpty();
    assertThat(BacklogWarning.of(seen, changes, "leveled", 15 * MINUTE))
        .as("not in force")
        .isEmpty();
    assertThat(
            BacklogWarning.of(
                backlogs(200, minute -> minute), changes, "leveled,fanout=4", 126 * MINUTE))
        .as("too long ago")
        .isEmpty();
    assertThat(BacklogWarning.of(seen, List.of(), "leveled,fanout=4", 15 * MINUTE)).isEmpty();
  }

  @Test
  void backlogThatFallsInBetweenOrIsNotToldIsNone() {
    List<Change> changes = List.of(change(0, "apply", "p"));
    assertThat(BacklogWarning.of(backlogs(20, minute -> minute % 5), changes, "p", 15 * MINUTE))
        .isEmpty();
    assertThat(BacklogWarning.of(backlogs(20, minute -> 7), changes, "p", 15 * MINUTE)).isEmpty();
    assertThat(BacklogWarning.of(backlogs(20, minute -> -1), changes, "p", 15 * MINUTE)).isEmpty();
    assertThat(BacklogWarning.of(backlogs(20, minute -> minute), changes, "p", 15 * MINUTE))
        .isPresent();
  }

  @Test
  void aLaterChangeIsTheOneThatCounts() {
    List<DownsampledHistory.Seen<LiveTable.Figures>> seen = backlogs(60, minute -> minute);
    List<Change> changes =
        List.of(change(20, "undo", "p"), change(0, "apply", "p"), change(25, "stop", "a merge"));
    assertThat(BacklogWarning.of(seen, changes, "p", 29 * MINUTE)).isEmpty();
    assertThat(BacklogWarning.of(seen, changes, "p", 30 * MINUTE).orElseThrow().change().what())
        .isEqualTo("undo");
  }
}
