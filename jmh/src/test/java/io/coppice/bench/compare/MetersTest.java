// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.bench.compare;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.coppice.bench.compare.report.Figures;
import io.coppice.bench.workload.LoadShape;
import io.coppice.bench.workload.Workload;
import io.coppice.policy.observe.StrategySnapshot;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class MetersTest {

  private long now;

  private void pass(long millis) {
    now += TimeUnit.MILLISECONDS.toNanos(millis);
  }

  @Test
  void aStallIsATimeWithoutAnyAnswer() {
    StallMeter meter = new StallMeter(() -> now);
    long slow = meter.begin();
    long quick = meter.begin();
    pass(90);
    meter.end(quick);
    pass(90);
    meter.end(slow);
    assertThat(meter.stalls()).isEqualTo(new Figures.Stalls(0, 0, 1));
    long stalled = meter.begin();
    pass(150);
    meter.end(stalled);
    assertThat(meter.stalls()).isEqualTo(new Figures.Stalls(1, 150, 2));
  }

  @Test
  void nothingStallsWhileNothingIsUnderWay() {
    StallMeter meter = new StallMeter(() -> now);
    meter.end(meter.begin());
    pass(5_000);
    meter.end(meter.begin());
    assertThat(meter.stalls()).isEqualTo(new Figures.Stalls(0, 0, 0));
  }

  @Test
  void bucketsStandForTheirBounds() {
    long[] before = {5, 1, 0, 0, 0, 0, 0, 0, 0, 0};
    long[] after = {6, 1, 2, 0, 0, 0, 0, 0, 0, 1};
    assertThat(Buckets.mean(before, after)).isCloseTo((0 + 2 * 2 + 10) / 4.0, within(1e-9));
    assertThat(Buckets.mean(after, after)).isZero();
  }

  @Test
  void theFiguresOfAWindowAreMeansOverItsFlushes() {
    WindowMeter meter = new WindowMeter();
    meter.begin(1_000, 3_000, 100);
    meter.rest(List.of(0.0, 0.5, 0.5), 300, 150);
    meter.rest(List.of(0.0, 0.99, 0.0, 0.01), 400, 200);
    meter.hits(1);
    meter.hits(2);
    Figures.Window window = meter.end(2_000, 8_000, 400);
    assertThat(window.flushes()).isEqualTo(2);
    assertThat(window.growth()).isEqualTo(4);
    assertThat(window.writeAmplification()).isEqualTo(6);
    assertThat(window.meanRuns()).isCloseTo((1.5 + 1.02) / 2, within(1e-9));
    assertThat(window.maxRuns()).isEqualTo(3);
    assertThat(window.candidates99()).isEqualTo(2);
    assertThat(window.meanSpace()).isEqualTo(2);
    assertThat(window.hit()).isEqualTo(1.5);
  }

  private static StrategySnapshot.Decision decision(long id, String kind, String code) {
    return new StrategySnapshot.Decision(id, 0, kind, code, "", 2, 10, 1, 0, "delayed");
  }

  private static StrategySnapshot snapshot(StrategySnapshot.Decision... decisions) {
    return new StrategySnapshot(
        "ks.t",
        "delayed",
        "delayed",
        List.of(),
        List.of(),
        List.of(),
        List.of(),
        new StrategySnapshot.Amplification(1, 0, 0, 0),
        new StrategySnapshot.Backlog(0, 0, 0, 0, 0, 0, 0),
        List.of(decisions));
  }

  @Test
  void eachDecisionIsCountedOnceByItsKind() {
    DecisionMeter meter = new DecisionMeter();
    meter.see(snapshot(decision(2, "delay", "l0-trigger"), decision(1, "merge", "l0-trigger")));
    meter.see(
        snapshot(
            decision(5, "merge", "small-tables"),
            decision(4, "move", "over-target"),
            decision(3, "merge", "read-request"),
            decision(2, "delay", "l0-trigger")));
    assertThat(meter.figures()).isEqualTo(new Figures.Decisions(1, 1, 1, 1));
  }

  @ParameterizedTest
  @CsvSource({"5900, 20000", "100, 20000", "40000, 20000", "600000, 100000", "1, 20000"})
  void aSampleIsLargeEnoughAndNamesNoPartitionTwice(long partitions, int rows) {
    long[] sample = RowVerifier.sample(42, partitions, rows);
    assertThat(sample.length * LoadShape.ROWS_PER_PARTITION).isGreaterThanOrEqualTo(rows);
    assertThat(Arrays.stream(sample).distinct().count()).isEqualTo(sample.length);
    assertThat(Arrays.stream(sample).filter(p -> p >= Workload.NEVER_WRITTEN).count())
        .isGreaterThanOrEqualTo(sample.length / 5);
    assertThat(Arrays.stream(sample)).allMatch(p -> p < partitions || p >= Workload.NEVER_WRITTEN);
  }
}
