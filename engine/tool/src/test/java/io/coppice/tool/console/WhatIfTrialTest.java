// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.tool.console;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.ObjectMapper;
import io.coppice.policy.observe.StrategySnapshot;
import io.coppice.policy.observe.TableMap;
import io.coppice.simulator.WhatIfReport;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
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

  /** A table under a policy at a look, by which so many bytes were flushed and tables came. */
  private static LiveTable table(int look, String policy) {
    List<TableMap.Place> places = new ArrayList<>();
    for (int i = 0; i <= look; i++) {
      places.add(new TableMap.Place("", 0, i, 0, 1, i, 100, 1, 0, 0, 0, -1, "", ""));
    }
    StrategySnapshot snapshot = HistoryTest.snapshot("t", policy, List.of());
    return new LiveTable(
        "t",
        Beans.Kind.STORE,
        null,
        policy,
        "",
        new LiveTable.Figures(100 * look, 50 * look, 0, 0, look, 0, 0, 0, 0, 0, 0, 0, 0, 0),
        Optional.of(snapshot),
        Optional.of(TableMap.of("t", look * SECOND, TableMap.TOKEN, places, List.of())));
  }

  private static History seen(String... policies) {
    History history = new History();
    for (int look = 0; look < policies.length; look++) {
      history.note(
          new ProcessStatus(
              (look + 1) * SECOND,
              "",
              ProcessStatus.Limits.UNKNOWN,
              false,
              List.of(table(look, policies[look])),
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
    assertThat(new ObjectMapper().readTree(past.map()).path("level")).as("look 2").hasSize(3);
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
