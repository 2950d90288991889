// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.tool.console;

import static org.assertj.core.api.Assertions.assertThat;

import io.coppice.tool.console.watch.DownsampledHistory;
import io.coppice.tool.console.watch.LiveTable;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.LongUnaryOperator;
import org.junit.jupiter.api.Test;

class MeasuredCostTest {

  private static final long MINUTE = 60_000;

  /** A look a minute, at 100 bytes flushed each and so many merged in all. */
  private static List<DownsampledHistory.Seen<LiveTable.Figures>> samples(
      long from, long to, LongUnaryOperator merged) {
    List<DownsampledHistory.Seen<LiveTable.Figures>> seen = new ArrayList<>();
    for (long minute = from; minute <= to; minute++) {
      seen.add(sample(minute, 100 * minute, merged.applyAsLong(minute)));
    }
    return seen;
  }

  private static DownsampledHistory.Seen<LiveTable.Figures> sample(
      long minute, long flushed, long merged) {
    LiveTable.Figures figures =
        new LiveTable.Figures(flushed, merged, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0);
    return new DownsampledHistory.Seen<>(minute * MINUTE, figures);
  }

  private static Change change(long minute, String what) {
    return new Change(what + minute, minute * MINUTE, "me", "node", "t", what, "a", "b", "");
  }

  private static Optional<MeasuredCost> measured(
      List<DownsampledHistory.Seen<LiveTable.Figures>> seen, Change change, List<Change> changes) {
    return MeasuredCost.of(seen, change, changes, List.of());
  }

  @Test
  void whatSomebodyElsePutsInForceEndsItToo() {
    List<DownsampledHistory.Seen<LiveTable.Figures>> seen = samples(0, 200, minute -> 100 * minute);
    Change change = change(10, "apply");
    List<DownsampledHistory.Seen<String>> policies =
        List.of(
            new DownsampledHistory.Seen<>(0, "a"),
            new DownsampledHistory.Seen<>(11 * MINUTE, "b"),
            new DownsampledHistory.Seen<>(20 * MINUTE, "c"),
            new DownsampledHistory.Seen<>(30 * MINUTE, "b"));
    assertThat(MeasuredCost.of(seen, change, List.of(change), policies))
        .contains(new MeasuredCost(2, 600, true));
    assertThat(MeasuredCost.of(seen, change, List.of(change), policies.subList(0, 2)))
        .contains(new MeasuredCost(2, 3600, true));
  }

  @Test
  void theFirstHourCountsAndWhatComesLaterDoesNot() {
    // 2 bytes are merged for each one flushed in that hour, before it none, and later 50.
    List<DownsampledHistory.Seen<LiveTable.Figures>> seen =
        samples(
            0, 200, minute -> minute < 10 ? 0 : minute <= 70 ? 200 * (minute - 10) : 5000 * minute);
    Change change = change(10, "apply");
    MeasuredCost measured = measured(seen, change, List.of(change)).orElseThrow();
    assertThat(measured).isEqualTo(new MeasuredCost(3, 3600, true));
    MeasuredCost early = measured(seen.subList(0, 31), change, List.of(change)).orElseThrow();
    assertThat(early).isEqualTo(new MeasuredCost(3, 1200, false));
  }

  @Test
  void theNextChangeEndsItButNoMergeThatWasStopped() {
    List<DownsampledHistory.Seen<LiveTable.Figures>> seen = samples(0, 200, minute -> 100 * minute);
    Change change = change(10, "apply");
    List<Change> all = List.of(change(40, "undo"), change(20, "stop"), change, change(5, "apply"));
    assertThat(measured(seen, change, all)).contains(new MeasuredCost(2, 1800, true));
    assertThat(measured(seen, all.get(0), all)).contains(new MeasuredCost(2, 3600, true));
  }

  @Test
  void aProcessThatWasStartedAgainEndsItToo() {
    List<DownsampledHistory.Seen<LiveTable.Figures>> seen = samples(0, 20, minute -> 100 * minute);
    seen.add(sample(21, 0, 0));
    seen.add(sample(22, 5, 5000));
    Change change = change(10, "apply");
    assertThat(measured(seen, change, List.of(change))).contains(new MeasuredCost(2, 600, true));
  }

  @Test
  void whoCameLaterKnowsNothing() {
    Change change = change(10, "apply");
    List<Change> all = List.of(change);
    assertThat(measured(samples(12, 90, minute -> minute), change, all)).isEmpty();
    assertThat(measured(samples(0, 10, minute -> minute), change, all)).isEmpty();
    assertThat(measured(List.of(), change, all)).isEmpty();
    List<DownsampledHistory.Seen<LiveTable.Figures>> idle =
        List.of(sample(9, 7, 7), sample(90, 7, 7));
    assertThat(measured(idle, change, all)).isEmpty();
    List<DownsampledHistory.Seen<LiveTable.Figures>> away = samples(0, 8, minute -> minute);
    away.addAll(samples(12, 90, minute -> minute));
    assertThat(measured(away, change, all)).as("away from 8 to 12").isEmpty();
  }

  @Test
  void whoLookedLongBeforeBeginsWithTheFirstLookAfter() {
    List<DownsampledHistory.Seen<LiveTable.Figures>> seen = samples(0, 5, minute -> 0);
    seen.addAll(samples(11, 90, minute -> 100 * minute));
    Change change = change(10, "apply");
    assertThat(measured(seen, change, List.of(change)))
        .contains(new MeasuredCost(2, 59 * 60, true));
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
    changes.measured(first, new MeasuredCost(2.5, 3600, true));
    changes.measured(first, new MeasuredCost(9, 1, true));
    changes.measured(second, new MeasuredCost(Double.NaN, 60, true));
    assertThat(lines).hasSize(4);
    Changes again = new Changes(store);
    assertThat(again.all()).containsExactly(second, first);
    assertThat(again.measured(first)).contains(new MeasuredCost(2.5, 3600, true));
    assertThat(again.measured(second).orElseThrow().writeAmplification()).isNaN();
    assertThat(again.of("node", "t")).hasSize(2);
    assertThat(again.of("node", "u")).isEmpty();
    // As another console that watched too may have written.
    lines.add(lines.get(2).replace("2.5", "7.5"));
    assertThat(new Changes(store).measured(first)).contains(new MeasuredCost(2.5, 3600, true));
  }
}
