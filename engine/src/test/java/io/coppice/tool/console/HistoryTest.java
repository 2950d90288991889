// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.tool.console;

import static org.assertj.core.api.Assertions.assertThat;

import io.coppice.policy.TableMap;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import org.junit.jupiter.api.Test;

class HistoryTest {

  private static final long BOUND = 64 << 10;
  private static final long HOUR_MILLIS = 3_600_000;

  @Test
  void picturesStayWithinTheirBoundHoweverFastTheyChange() {
    History history = new History(BOUND);
    Random random = new Random(1);
    long now = 0;
    for (int i = 0; i < 400; i++) {
      now += 1000;
      history.note(view(now, List.of("a", "b"), random));
      assertThat(history.countPictures()).isLessThanOrEqualTo(BOUND);
    }
    List<Long> times = history.times("a");
    assertThat(times).hasSizeGreaterThan(5).last().isEqualTo(now);
    assertThat(history.picture("a", now)).isPresent();
    assertThat(history.figures("a")).hasSize(400);
  }

  @Test
  void aTableThatIsGoneForADayIsForgotten() {
    History history = new History(BOUND);
    Random random = new Random(2);
    history.note(view(1000, List.of("a", "b"), random));
    history.note(view(HOUR_MILLIS, List.of("b"), random));
    assertThat(history.figures("a")).isNotEmpty();
    assertThat(history.times("a")).isNotEmpty();
    history.note(view(26 * HOUR_MILLIS, List.of("b"), random));
    assertThat(history.figures("a")).isEmpty();
    assertThat(history.times("a")).isEmpty();
    assertThat(history.figures("b")).isNotEmpty();
  }

  private static NodeView view(long atMillis, List<String> ids, Random random) {
    List<LiveTable> tables = new ArrayList<>();
    for (String id : ids) {
      tables.add(
          new LiveTable(
              id,
              Beans.Kind.STORE,
              null,
              "delayed",
              "",
              new LiveTable.Figures(0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0),
              Optional.empty(),
              Optional.of(map(atMillis, random))));
    }
    return new NodeView(atMillis, "", List.copyOf(tables), List.of());
  }

  private static TableMap map(long atMillis, Random random) {
    List<TableMap.Place> places = new ArrayList<>();
    for (int i = 0; i < 50; i++) {
      double low = random.nextDouble();
      places.add(
          new TableMap.Place(
              "", 1, i, low, 1, random.nextInt(), random.nextInt(1000), 1, 0, 0, 0, -1, "", ""));
    }
    return TableMap.of("t", atMillis, TableMap.TOKEN, places, List.of());
  }
}
