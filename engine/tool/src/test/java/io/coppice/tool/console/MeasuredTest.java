// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.tool.console;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.LongUnaryOperator;
import org.junit.jupiter.api.Test;

class MeasuredTest {

  private static final long MINUTE = 60_000;

  /** A look a minute, at 100 bytes flushed each and so many merged in all. */
  private static List<Thinned.Seen<LiveTable.Figures>> looks(
      long from, long to, LongUnaryOperator merged) {
    List<Thinned.Seen<LiveTable.Figures>> seen = new ArrayList<>();
    for (long minute = from; minute <= to; minute++) {
      seen.add(look(minute, 100 * minute, merged.applyAsLong(minute)));
    }
    return seen;
  }

  private static Thinned.Seen<LiveTable.Figures> look(long minute, long flushed, long merged) {
    LiveTable.Figures figures =
        new LiveTable.Figures(flushed, merged, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0);
    return new Thinned.Seen<>(minute * MINUTE, figures);
  }

  private static Change change(long minute, String what) {
    return new Change(what + minute, minute * MINUTE, "me", "node", "t", what, "a", "b", "");
  }

  private static Optional<Measured> measured(
      List<Thinned.Seen<LiveTable.Figures>> seen, Change change, List<Change> changes) {
    return Measured.of(seen, change, changes, List.of());
  }

  @Test
  void whatSomebodyElsePutsInForceEndsItToo() {
    List<Thinned.Seen<LiveTable.Figures>> seen = looks(0, 200, minute -> 100 * minute);
    Change change = change(10, "apply");
    List<Thinned.Seen<String>> policies =
        List.of(
            new Thinned.Seen<>(0, "a"),
            new Thinned.Seen<>(11 * MINUTE, "b"),
            new Thinned.Seen<>(20 * MINUTE, "c"),
            new Thinned.Seen<>(30 * MINUTE, "b"));
    assertThat(Measured.of(seen, change, List.of(change), policies))
        .contains(new Measured(2, 600, true));
    assertThat(Measured.of(seen, change, List.of(change), policies.subList(0, 2)))
        .contains(new Measured(2, 3600, true));
  }

  @Test
  void theFirstHourCountsAndWhatComesLaterDoesNot() {
    // 2 bytes are merged for each one flushed in that hour, before it none, and later 50.
    List<Thinned.Seen<LiveTable.Figures>> seen =
        looks(
            0, 200, minute -> minute < 10 ? 0 : minute <= 70 ? 200 * (minute - 10) : 5000 * minute);
    Change change = change(10, "apply");
    Measured measured = measured(seen, change, List.of(change)).orElseThrow();
    assertThat(measured).isEqualTo(new Measured(3, 3600, true));
    Measured early = measured(seen.subList(0, 31), change, List.of(change)).orElseThrow();
    assertThat(early).isEqualTo(new Measured(3, 1200, false));
  }

  @Test
  void theNextChangeEndsItButNoMergeThatWasStopped() {
    List<Thinned.Seen<LiveTable.Figures>> seen = looks(0, 200, minute -> 100 * minute);
    Change change = change(10, "apply");
    List<Change> all = List.of(change(40, "undo"), change(20, "stop"), change, change(5, "apply"));
    assertThat(measured(seen, change, all)).contains(new Measured(2, 1800, true));
    assertThat(measured(seen, all.get(0), all)).contains(new Measured(2, 3600, true));
  }

  @Test
  void aProcessThatWasStartedAgainEndsItToo() {
    List<Thinned.Seen<LiveTable.Figures>> seen = looks(0, 20, minute -> 100 * minute);
    seen.add(look(21, 0, 0));
    seen.add(look(22, 5, 5000));
    Change change = change(10, "apply");
    assertThat(measured(seen, change, List.of(change))).contains(new Measured(2, 600, true));
  }

  @Test
  void whoCameLaterKnowsNothing() {
    Change change = change(10, "apply");
    List<Change> all = List.of(change);
    assertThat(measured(looks(12, 90, minute -> minute), change, all)).isEmpty();
    assertThat(measured(looks(0, 10, minute -> minute), change, all)).isEmpty();
    assertThat(measured(List.of(), change, all)).isEmpty();
    List<Thinned.Seen<LiveTable.Figures>> idle = List.of(look(9, 7, 7), look(90, 7, 7));
    assertThat(measured(idle, change, all)).isEmpty();
    List<Thinned.Seen<LiveTable.Figures>> away = looks(0, 8, minute -> minute);
    away.addAll(looks(12, 90, minute -> minute));
    assertThat(measured(away, change, all)).as("away from 8 to 12").isEmpty();
  }

  @Test
  void whoLookedLongBeforeBeginsWithTheFirstLookAfter() {
    List<Thinned.Seen<LiveTable.Figures>> seen = looks(0, 5, minute -> 0);
    seen.addAll(looks(11, 90, minute -> 100 * minute));
    Change change = change(10, "apply");
    assertThat(measured(seen, change, List.of(change))).contains(new Measured(2, 59 * 60, true));
  }

  @Test
  void whatWasMeasuredIsKeptBesideTheChangesAndReadAgain() throws IOException {
    List<String> lines = new ArrayList<>();
    ChangeStore store =
        new ChangeStore() {
          @Override
          public List<String> lines() {
            return List.copyOf(lines);
          }

          @Override
          public void append(String line) {
            lines.add(line);
          }
        };
    Changes changes = new Changes(store);
    Change first = changes.add("node", "t", "apply", "a", "b", "");
    Change second = changes.add("node", "t", "apply", "b", "c", "");
    changes.measured(first, new Measured(2.5, 3600, true));
    changes.measured(first, new Measured(9, 1, true));
    changes.measured(second, new Measured(Double.NaN, 60, true));
    assertThat(lines).hasSize(4);
    Changes again = new Changes(store);
    assertThat(again.all()).containsExactly(second, first);
    assertThat(again.measured(first)).contains(new Measured(2.5, 3600, true));
    assertThat(again.measured(second).orElseThrow().writeAmplification()).isNaN();
    assertThat(again.of("node", "t")).hasSize(2);
    assertThat(again.of("node", "u")).isEmpty();
    // As another console that watched too may have written.
    lines.add(lines.get(2).replace("2.5", "7.5"));
    assertThat(new Changes(store).measured(first)).contains(new Measured(2.5, 3600, true));
  }
}
