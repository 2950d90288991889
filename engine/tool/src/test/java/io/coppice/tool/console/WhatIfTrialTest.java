// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.tool.console;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.ObjectMapper;
import io.coppice.policy.observe.StrategySnapshot;
import io.coppice.policy.observe.TableMap;
import io.coppice.simulator.whatif.WhatIfReport;
import io.coppice.tool.console.watch.Beans;
import io.coppice.tool.console.watch.History;
import io.coppice.tool.console.watch.HistoryTest;
import io.coppice.tool.console.watch.LiveTable;
import io.coppice.tool.console.watch.ProcessStatus;
import io.coppice.tool.console.watch.Rates;
import io.coppice.tool.console.watch.TableMapJson;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.LongSupplier;
import org.junit.jupiter.api.Test;

class WhatIfTrialTest {

  private static final long SECOND = 1000;

  private static WhatIfTrial.Result result(long transientBytes, long freeBytes) {
    WhatIfReport present = new WhatIfReport(1, 1, 1, 1, 1, 1, 1, 1, Long.MAX_VALUE, true);
    WhatIfReport proposed = new WhatIfReport(1, 1, 1, 1, 1, 1, 1, 1, transientBytes, true);
    return new WhatIfTrial.Result(
        present, proposed, "leveled", 0, 0, 1, 1, freeBytes, Optional.empty(), List.of());
  }

  @Test
  void whatIsProposedOverfillsADiskThatHasLessRoomThanOneOfItsMerges() {
    assertThat(result(11, 10).overfills()).isTrue();
    assertThat(result(10, 10).overfills()).isFalse();
    assertThat(result(1, 0).overfills()).isTrue();
    assertThat(result(11, -1).overfills()).as("not known").isFalse();
  }

  /** A table with a policy at a sample; bytes flushed and tables grow with the sample's number. */
  private static LiveTable table(int sample, String policy) {
    List<TableMap.Place> places = new ArrayList<>();
    for (int i = 0; i <= sample; i++) {
      places.add(new TableMap.Place("", 0, i, 0, 1, i, 100, 1, 0, 0, 0, 0, -1, "", ""));
    }
    StrategySnapshot snapshot = HistoryTest.snapshot("t", policy, List.of());
    return new LiveTable(
        "t",
        Beans.Kind.STORE,
        null,
        policy,
        "",
        new LiveTable.Figures(
            100 * sample, 50 * sample, 0, 0, 0, sample, 0, 0, 0, 0, 0, 0, 0, 0, 0),
        Optional.of(snapshot),
        Optional.of(TableMap.of("t", sample * SECOND, TableMap.TOKEN, places, List.of())));
  }

  /** A clock that each reading moves on, as if the simulations before it had taken that long. */
  private static final class SlowClock implements LongSupplier {
    private static final double SECONDS = 0.05;
    private long now = Long.MAX_VALUE - 1_000_000_000L;
    private final long start = now;

    @Override
    public long getAsLong() {
      now += Math.round(SECONDS * 1e9);
      return now;
    }

    double seconds() {
      return (now - start) / 1e9;
    }
  }

  /** A table whose merges are counted, so that the number of keys is estimated by simulations. */
  private static LiveTable counted(String policy) {
    LiveTable bare = table(40, policy);
    StrategySnapshot snapshot =
        new StrategySnapshot(
            "t",
            policy,
            policy,
            List.of(),
            List.of(),
            List.of(),
            List.of(new StrategySnapshot.Counter("MergeReadBytes", 1000)),
            new StrategySnapshot.Amplification(2, 0, 1000, 900),
            new StrategySnapshot.Backlog(0, 0, 0, 0, Long.MAX_VALUE, 0, -1),
            List.of());
    return new LiveTable(
        "t", bare.kind(), null, policy, "", bare.figures(), Optional.of(snapshot), bare.map());
  }

  @Test
  void adviceStaysWithinItsTimeWithAllThatComesBeforeIt() throws Exception {
    for (String policy : List.of("delayed", "split-forest")) {
      LiveTable table = counted(policy);
      byte[] map = TableMapJson.json(table.map().orElseThrow());
      SlowClock clock = new SlowClock();
      Rates rates = new Rates(60, 10_000, 10_000, -1, 100, 0, 0, Double.NaN);
      WhatIfTrial.Advice advice = WhatIfTrial.advise(table, map, rates, clock);
      // The last simulation and the loops around it read the clock a few times more.
      assertThat(clock.seconds()).as(policy).isBetween(25.0, 30.0 + 10 * SlowClock.SECONDS);
      assertThat(advice.tried()).as("time is left for candidates").isPositive();
      assertThat(advice.left()).isPositive();
    }
  }

  private static History seen(String... policies) {
    History history = new History();
    for (int sample = 0; sample < policies.length; sample++) {
      history.note(
          new ProcessStatus(
              (sample + 1) * SECOND,
              "",
              ProcessStatus.Limits.UNKNOWN,
              false,
              List.of(table(sample, policies[sample])),
              List.of()));
    }
    return history;
  }

  private static Change own(long atMillis, String what) {
    return new Change("id", atMillis, "me", "node", "t", what, "a", "b", "");
  }

  @Test
  void theErrorIsOfTheTimeUnderThePolicyInForceWhoeverChangedIt() throws Exception {
    History history = seen("a", "a", "b", "b", "b");
    WhatIfTrial.Past past = WhatIfTrial.past(history, table(4, "b"), 0, List.of()).orElseThrow();
    assertThat(new ObjectMapper().readTree(past.map()).path("level")).as("sample 2").hasSize(3);
    assertThat(past.since().flushedBytes()).isEqualTo(200);
    assertThat(past.since().seconds()).isEqualTo(2);
    assertThat(WhatIfTrial.past(seen("b", "b"), table(1, "b"), 0, List.of()).orElseThrow().since())
        .extracting(Rates::flushedBytes)
        .isEqualTo(100L);
    assertThat(
            WhatIfTrial.past(seen("b", "a", "b"), table(2, "b"), 0, List.of())
                .orElseThrow()
                .since())
        .as("it was another meanwhile")
        .extracting(Rates::flushedBytes)
        .isEqualTo(0L);
    assertThat(WhatIfTrial.past(history, table(4, "c"), 0, List.of())).as("not seen yet").isEmpty();
    assertThat(
            WhatIfTrial.past(history, table(4, "b"), 5 * SECOND, List.of()).orElseThrow().since())
        .extracting(Rates::seconds)
        .isEqualTo(0.0);
  }

  @Test
  void aChangeThatWasTakenBackBetweenTwoLooksCutsThePastToo() {
    History history = seen("a", "a", "a", "a");
    List<Change> own = List.of(own(2500, "undo"), own(2400, "apply"), own(3500, "stop"));
    assertThat(WhatIfTrial.past(history, table(3, "a"), 0, own).orElseThrow().since().seconds())
        .isEqualTo(1);
  }
}
