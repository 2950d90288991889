// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.tool.console.watch;

import static org.assertj.core.api.Assertions.assertThat;

import io.coppice.policy.observe.StrategySnapshot;
import io.coppice.policy.observe.TableMap;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import org.junit.jupiter.api.Test;

public class HistoryTest {

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

  @Test
  void decisionsAreKeptWithTheInstantTheyWereMadeAt() {
    History history = new History(BOUND);
    history.note(decided(1000, 900, 1, 3));
    history.note(decided(2000, 900, 1, 5));
    assertThat(history.decisions("a", 899)).isEmpty();
    assertThat(history.decisions("a", 902))
        .extracting(StrategySnapshot.Decision::id)
        .containsExactly(3L, 2L, 1L);
    assertThat(history.decisions("a", 2000)).hasSize(5);
    // The process was started again and counts anew.
    history.note(decided(3000, 2500, 1, 2));
    assertThat(history.decisions("a", 3000))
        .extracting(StrategySnapshot.Decision::id)
        .containsExactly(2L, 1L, 5L, 4L, 3L, 2L, 1L);
    history.note(decided(3000 + 25 * HOUR_MILLIS, 3000 + 25 * HOUR_MILLIS, 3, 3));
    assertThat(history.decisions("a", Long.MAX_VALUE)).hasSize(1);
  }

  @Test
  void policiesAreKeptWithTheLookThatFirstSawThemWhoeverChangedThem() {
    History history = new History(BOUND);
    long minute = 60_000;
    String[] seen = {"p", "p", "q", "q", "p"};
    for (int i = 0; i < seen.length; i++) {
      history.note(under(i * minute, seen[i]));
    }
    assertThat(history.policies("a"))
        .containsExactly(
            new DownsampledHistory.Seen<>(0, "p"),
            new DownsampledHistory.Seen<>(2 * minute, "q"),
            new DownsampledHistory.Seen<>(4 * minute, "p"));
    assertThat(history.policies("b")).isEmpty();
    history.note(under(2 * minute + DownsampledHistory.KEPT_MILLIS + 1, "p"));
    assertThat(history.policies("a"))
        .as("what was in force a day ago is known")
        .containsExactly(
            new DownsampledHistory.Seen<>(2 * minute, "q"),
            new DownsampledHistory.Seen<>(4 * minute, "p"));
    history.note(
        new ProcessStatus(
            4 * minute + 2 * DownsampledHistory.KEPT_MILLIS,
            "",
            ProcessStatus.Limits.UNKNOWN,
            false,
            List.of(),
            List.of()));
    assertThat(history.policies("a")).isEmpty();
  }

  /** A look at a table under the strategy of somebody else. */
  private static ProcessStatus under(long atMillis, String parameters) {
    LiveTable table =
        new LiveTable(
            "a",
            Beans.Kind.TABLE,
            null,
            "x",
            parameters,
            new LiveTable.Figures(0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0),
            Optional.empty(),
            Optional.empty());
    return new ProcessStatus(
        atMillis, "", ProcessStatus.Limits.UNKNOWN, false, List.of(table), List.of());
  }

  /** Of a table of which nothing else is known. */
  public static StrategySnapshot snapshot(
      String table, String policy, List<StrategySnapshot.Decision> decisions) {
    return new StrategySnapshot(
        table,
        policy,
        "leveled",
        List.of(),
        List.of(),
        List.of(),
        List.of(),
        new StrategySnapshot.Amplification(1, 0, 0, 0),
        new StrategySnapshot.Backlog(0, 0, 0, 0, 0, 0, 0),
        decisions);
  }

  /** A look at a table with so many decisions, a millisecond from one to the next. */
  private static ProcessStatus decided(long atMillis, long firstMillis, int from, int to) {
    List<StrategySnapshot.Decision> decisions = new ArrayList<>();
    for (int id = to; id >= from; id--) {
      decisions.add(
          new StrategySnapshot.Decision(
              id, firstMillis + id - from, "merge", "code", "why", 2, 10, 1, 0, "leveled"));
    }
    StrategySnapshot snapshot = snapshot("a", "leveled", decisions);
    LiveTable table =
        new LiveTable(
            "a",
            Beans.Kind.STORE,
            null,
            "leveled",
            "",
            new LiveTable.Figures(0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0),
            Optional.of(snapshot),
            Optional.empty());
    return new ProcessStatus(
        atMillis, "", ProcessStatus.Limits.UNKNOWN, false, List.of(table), List.of());
  }

  private static ProcessStatus view(long atMillis, List<String> ids, Random random) {
    List<LiveTable> tables = new ArrayList<>();
    for (String id : ids) {
      tables.add(
          new LiveTable(
              id,
              Beans.Kind.STORE,
              null,
              "delayed",
              "",
              new LiveTable.Figures(0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0),
              Optional.empty(),
              Optional.of(map(atMillis, random))));
    }
    return new ProcessStatus(
        atMillis, "", ProcessStatus.Limits.UNKNOWN, false, List.copyOf(tables), List.of());
  }

  private static TableMap map(long atMillis, Random random) {
    List<TableMap.Place> places = new ArrayList<>();
    for (int i = 0; i < 50; i++) {
      double low = random.nextDouble();
      places.add(
          new TableMap.Place(
              "", 1, i, low, 1, random.nextInt(), random.nextInt(1000), 1, 0, 0, 0, 0, -1, "", ""));
    }
    return TableMap.of("t", atMillis, TableMap.TOKEN, places, List.of());
  }
}
