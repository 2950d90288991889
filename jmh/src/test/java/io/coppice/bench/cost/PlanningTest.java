// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.bench.cost;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import com.fasterxml.jackson.databind.JsonNode;
import io.coppice.bench.node.PlanningMeterMXBean;
import io.coppice.bench.report.FigureTables;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class PlanningTest {

  private static final long MILLI = 1_000_000;

  @Test
  void orderedTablesLieInOneRunALevelTheDeepestFirst() {
    assertThat(runs(Arrangement.ORDERED, 5000))
        .containsExactly("3636 to 6", "1024 to 5", "256 to 4", "64 to 3", "16 to 2", "4 to 1");
    assertThat(runs(Arrangement.ORDERED, 3)).containsExactly("3 to 1");
    assertThat(runs(Arrangement.OVERLAPPING, 2)).containsExactly("1 to 0", "1 to 0");
  }

  private static List<String> runs(Arrangement arrangement, int tables) {
    List<String> runs = new ArrayList<>();
    PlanningMeterMXBean meter =
        (PlanningMeterMXBean)
            Proxy.newProxyInstance(
                PlanningTest.class.getClassLoader(),
                new Class<?>[] {PlanningMeterMXBean.class},
                (proxy, method, arguments) -> {
                  runs.add(arguments[0] + " to " + arguments[1]);
                  return null;
                });
    arrangement.make(meter, tables);
    return runs;
  }

  @Test
  void aCostIsTheMeanOfFlushesAndItsShareCountsThePolls() {
    Cost flush =
        Cost.of(
            List.of(
                new long[] {1, 10 * MILLI, 20 * MILLI, 30 * MILLI},
                new long[] {3, 30 * MILLI, 100 * MILLI, 60 * MILLI}));
    Cost poll = Cost.of(List.of(new long[] {1, 0, 60 * MILLI, 60 * MILLI}));
    assertThat(flush).isEqualTo(new Cost(2, 20, 60, 60));
    assertThat(Cost.share(flush, poll, 10)).isCloseTo(0.009, within(1e-9));
    assertThat(Cost.secondsAt(0.009, flush, poll)).isCloseTo(10, within(1e-6));
    assertThat(Cost.secondsAt(0.001, flush, poll)).isInfinite();
  }

  @Test
  void aRowHasTheCostsOfFlushesAndPolls() throws Exception {
    Cost flush = new Cost(2, 20, 60, 60);
    Cost poll = new Cost(1, 0, 60, 60);
    JsonNode row =
        FigureTables.json(
            "planning", new PlanningCommand.Row("delayed", "ordered", 50, 3, flush, poll, 10));
    assertThat(row.get("sstables").asInt()).isEqualTo(50);
    assertThat(row.get("percent_of_core").asDouble()).isEqualTo(0.9);
    assertThat(row.get("seconds_per_flush_at_1_percent").asDouble()).isEqualTo(8.889);
  }
}
