// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.policy.observe;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import javax.management.openmbean.CompositeData;
import org.junit.jupiter.api.Test;

class OpenRecordsTest {

  private record Odd(Object any) {}

  @Test
  void aSnapshotComesBackAsItWas() {
    StrategySnapshot snapshot =
        new StrategySnapshot(
            "ks.t",
            "leveled",
            "delayed",
            List.of(
                new StrategySnapshot.Tunable(
                    "vct", "integer", "0..64", "tables", "12", "12", "4", false, "Delays.")),
            List.of(new StrategySnapshot.Run("", 1, 0, 2, 3, 4, 5, "-1", "7", 8, 9, 0.25)),
            List.of(),
            List.of(
                new StrategySnapshot.Counter("Merges", 3),
                new StrategySnapshot.Counter("Moves", 0)),
            new StrategySnapshot.Amplification(4.5, 1.25, 100, 350),
            new StrategySnapshot.Backlog(1, 2, -1, 4, Long.MAX_VALUE, 6, 7),
            List.of(
                new StrategySnapshot.Decision(
                    1, 2, "merge", "l0-trigger", "so", 3, 4, 5, 6, "leveled")));
    CompositeData open = OpenRecords.open(snapshot);
    assertThat(open.get("name")).isEqualTo("ks.t");
    assertThat(((CompositeData[]) open.get("runs"))[0].get("droppable")).isEqualTo(0.25);
    assertThat((CompositeData[]) open.get("segments")).isEmpty();
    assertThat(OpenRecords.read(open, StrategySnapshot.class)).isEqualTo(snapshot);
    assertThat(snapshot.counter("Merges")).isEqualTo(3);
    assertThat(snapshot.counter("None")).isZero();
  }

  /** A count as an older version knew it. */
  private record Older(String name) {}

  @Test
  void aLongThatAnOlderVersionDidNotTellIsUnknown() {
    CompositeData open = OpenRecords.open(new Older("Merges"));
    assertThat(OpenRecords.read(open, StrategySnapshot.Counter.class))
        .isEqualTo(new StrategySnapshot.Counter("Merges", -1));
  }

  @Test
  void whatHasNoOpenFormIsRefused() {
    assertThatThrownBy(() -> OpenRecords.open(new Odd(List.of())))
        .isInstanceOf(RuntimeException.class);
    CompositeData open = OpenRecords.open(new StrategySnapshot.Counter("Merges", 3));
    assertThatThrownBy(() -> OpenRecords.read(open, StrategySnapshot.Backlog.class))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("Backlog");
  }
}
