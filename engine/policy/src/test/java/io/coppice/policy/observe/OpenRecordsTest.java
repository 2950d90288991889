// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.policy.observe;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Arrays;
import java.util.List;
import javax.management.openmbean.CompositeData;
import javax.management.openmbean.CompositeDataSupport;
import javax.management.openmbean.CompositeType;
import javax.management.openmbean.OpenDataException;
import javax.management.openmbean.OpenType;
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

  @Test
  void aLongThatAnOlderVersionDidNotTellIsUnknown() throws OpenDataException {
    CompositeData open = without("value", new StrategySnapshot.Counter("Merges", 3));
    assertThat(OpenRecords.read(open, StrategySnapshot.Counter.class))
        .isEqualTo(new StrategySnapshot.Counter("Merges", -1));
  }

  @Test
  void aColumnThatAnOlderVersionDidNotTellIsZero() throws OpenDataException {
    TableMap.Place place =
        new TableMap.Place("", 1, 0, 0, 1, 5, 100, 10, 3, 0, 0, 0, TableMap.FREE, "a", "b");
    TableMap map = TableMap.of("ks.t", 0, TableMap.TOKEN, List.of(place), List.of());
    assertThat(OpenRecords.read(OpenRecords.open(map), TableMap.class).deletions())
        .containsExactly(3);
    assertThat(OpenRecords.read(without("deletions", map), TableMap.class).deletions())
        .containsExactly(0);
  }

  /** The open form of a record as an older version knew it. */
  private static CompositeData without(String component, Record record) throws OpenDataException {
    CompositeData open = OpenRecords.open(record);
    String[] names =
        open.getCompositeType().keySet().stream()
            .filter(name -> !name.equals(component))
            .toArray(String[]::new);
    OpenType<?>[] types =
        Arrays.stream(names).map(open.getCompositeType()::getType).toArray(OpenType[]::new);
    CompositeType type = new CompositeType("Older", "Older", names, names, types);
    return new CompositeDataSupport(type, names, open.getAll(names));
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
