// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.simulator;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.coppice.policy.Budget;
import io.coppice.policy.MergeRule;
import io.coppice.policy.Plan;
import io.coppice.policy.Policy;
import io.coppice.policy.spec.PolicySpec;
import io.coppice.simulator.keys.SortedKeySet;
import io.coppice.simulator.keys.WriteWorkload;
import io.coppice.simulator.store.MergeStepSettings;
import io.coppice.simulator.store.SimulatedStore;
import io.coppice.simulator.store.StoreContents;
import io.coppice.simulator.whatif.LiveLoad;
import io.coppice.simulator.whatif.LiveSlice;
import io.coppice.simulator.whatif.WhatIfReport;
import io.coppice.simulator.whatif.WhatIfSimulation;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

class WhatIfSimulationTest {

  private static final int ENTRY = 100;
  private static final int KEYS = 40_000;
  private static final int FLUSH = 1000;
  private static final int FLUSHES = 240;

  private static LiveLoad load(int flushes) {
    return new LiveLoad(KEYS, 0, 0, ENTRY, FLUSH, flushes, 0, 7);
  }

  /** So many runs of level 0, each over all keys. */
  private static List<LiveSlice> flushes(int count) {
    List<LiveSlice> slices = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      slices.add(new LiveSlice(0, i, 0, 1, FLUSH, 0, 0, 0));
    }
    return slices;
  }

  private static WhatIfReport forecast(String policy, List<LiveSlice> slices, int flushes) {
    return WhatIfSimulation.run(
        MergeRule.ADJACENT,
        PolicySpec.parse(policy),
        slices,
        load(flushes),
        Long.MAX_VALUE,
        () -> false);
  }

  @Test
  void whatLiesThereIsSettledFirst() {
    String policy = "leveled,table_size=20KiB,fanout=4";
    WhatIfReport crowded = forecast(policy, flushes(30), 1);
    WhatIfReport empty = forecast(policy, List.of(), 1);
    assertThat(crowded.settleBytes()).isGreaterThan(20L * FLUSH * ENTRY);
    assertThat(empty.settleBytes()).isZero();
    assertThat(crowded.runsMean()).isLessThan(8);
  }

  @Test
  void mergesPutOffCostFewerWritesAndMoreRuns() {
    List<LiveSlice> start = flushes(10);
    WhatIfReport eager = forecast("delayed,table_size=20KiB,fanout=4,vct=0", start, 60);
    WhatIfReport lazy = forecast("delayed,table_size=20KiB,fanout=4,vct=12", start, 60);
    assertThat(lazy.writeAmplification()).isLessThan(eager.writeAmplification());
    assertThat(lazy.runsMean()).isGreaterThan(eager.runsMean());
  }

  @Test
  void theSameQuestionHasTheSameAnswer() {
    String policy = "split-forest,table_size=20KiB";
    assertThat(forecast(policy, flushes(6), 50)).isEqualTo(forecast(policy, flushes(6), 50));
  }

  @Test
  void anEndBeforeTheLastFlushIsTold() {
    WhatIfReport cut =
        WhatIfSimulation.run(
            MergeRule.ADJACENT,
            PolicySpec.parse("tiered"),
            flushes(3),
            load(50),
            Long.MAX_VALUE,
            () -> true);
    assertThat(cut.complete()).isFalse();
    assertThat(cut.flushes()).isZero();
  }

  /** Half of the entries delete existing keys, the other half insert keys: the data do not grow. */
  @ParameterizedTest
  @EnumSource
  void deletionsRemoveExistingKeys(MergeRule rule) {
    List<LiveSlice> start = List.of(new LiveSlice(2, 0, 0, 1, KEYS, 0, 0, 0));
    List<WhatIfReport> reports = new ArrayList<>();
    for (double deletes : new double[] {0, 0.5}) {
      reports.add(
          WhatIfSimulation.run(
              rule,
              PolicySpec.parse("leveled,table_size=20KiB,fanout=4"),
              start,
              new LiveLoad(1e9, 0, deletes, ENTRY, FLUSH, 80, 0, 7),
              Long.MAX_VALUE,
              () -> false));
    }
    assertThat(reports.get(0).spaceMean()).isCloseTo(1, within(0.01));
    assertThat(reports.get(0).shrinkage()).isCloseTo(1, within(0.01));
    assertThat(reports.get(1).spaceMean()).isBetween(1.0, 1.4);
    assertThat(reports.get(1).shrinkage()).isLessThan(0.95);
    assertThat(reports.get(1).flushedBytes()).isLessThan(reports.get(0).flushedBytes());
  }

  /** The load deletes everything; what is left of the space is compared with one flush. */
  @ParameterizedTest
  @ValueSource(doubles = {0.6, 0.9, 0.99})
  void spaceStaysFiniteWhereAllKeysAreDeleted(double deletes) {
    WhatIfReport report =
        WhatIfSimulation.run(
            MergeRule.FREE,
            PolicySpec.parse("leveled,table_size=20KiB,fanout=4"),
            List.of(new LiveSlice(2, 0, 0, 1, KEYS, 0, 0, 0)),
            new LiveLoad(1e9, 0, deletes, ENTRY, FLUSH, 80, 0, 7),
            Long.MAX_VALUE,
            () -> false);
    assertThat(report.spaceMean()).isPositive().isLessThan((double) KEYS / FLUSH);
  }

  /** Half of the entries of a deep level are deletions, and the newest tables have none. */
  @Test
  void deletionsOfDeepTablesKeepTheirSize() {
    List<LiveSlice> slices = flushes(10);
    long bytes = 10L * FLUSH * ENTRY + (ENTRY + WriteWorkload.DELETION_BYTES) * (KEYS / 2L);
    slices.add(new LiveSlice(1, 0, 0, 1, KEYS, KEYS / 2, 0, 0));
    double entry = LiveLoad.entryBytes(bytes, 10 * FLUSH + KEYS, KEYS / 2);
    double deletes = LiveLoad.deletes(slices);
    assertThat(entry).isCloseTo(ENTRY, within(1e-9));
    assertThat(deletes).isPositive().isLessThan(1e-6);
    WhatIfReport report =
        WhatIfSimulation.run(
            MergeRule.FREE,
            PolicySpec.parse("tiered,table_size=20KiB,trigger=4"),
            slices,
            new LiveLoad(1e9, 0, deletes, entry, FLUSH, 1, 0, 7),
            Long.MAX_VALUE,
            () -> false);
    // The deletions of the deep level hide as many keys as it has values.
    long live = 11L * FLUSH * ENTRY;
    assertThat(report.spaceMean() * live / (bytes + FLUSH * ENTRY)).isCloseTo(1, within(0.01));
  }

  @Test
  void nearlyOnlyDeletionsLeaveABoundedSizeOfValues() {
    assertThat(LiveLoad.entryBytes(40_000_000, 1_000_000, 999_999)).isLessThan(2000);
    assertThat(LiveLoad.entryBytes(24_000_000, 1_000_000, 1_000_000)).isBetween(24.0, 100.0);
  }

  @Test
  void virtualSegmentsAreTakenOver() {
    List<LiveSlice> slices = new ArrayList<>();
    for (int i = 0; i < 4; i++) {
      slices.add(new LiveSlice(1, 0, 0, 0.5, FLUSH, 0, 9, 4));
      slices.add(new LiveSlice(1, 0, 0.5, 1, FLUSH, 0, 9, 4));
    }
    WhatIfReport forecast = forecast("delayed,table_size=20KiB,fanout=4", slices, 20);
    assertThat(forecast.complete()).isTrue();
    assertThat(forecast.spaceMean()).isGreaterThan(1);
  }

  /**
   * The exact simulation runs half of a load; the forecast starts from what lies there by then and
   * must agree with the other half.
   */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "leveled,fanout=4,table_size=20KiB",
        "split-forest,fanout=4,table_size=20KiB",
        "delayed,fanout=4,table_size=20KiB,vct=8"
      })
  void aForecastAgreesWithWhatThenHappens(String text) {
    PolicySpec spec = PolicySpec.parse(text);
    long writes = (long) FLUSHES * FLUSH * ENTRY;
    Scenario scenario =
        new Scenario(
            spec,
            MergeRule.ADJACENT,
            new WriteWorkload(WriteWorkload.Kind.UNIFORM_UPDATE, 0),
            (long) KEYS * ENTRY,
            writes,
            (long) FLUSH * ENTRY,
            ENTRY,
            10,
            0,
            Long.MAX_VALUE,
            11,
            Fidelity.EXACT);
    KeyModel model = new KeyModel(scenario);
    SimulatedStore<SortedKeySet> store =
        new SimulatedStore<>(
            MergeRule.ADJACENT, model, new MergeStepSettings(spec, Long.MAX_VALUE));
    Policy policy = spec.policy();
    long flushed = 0;
    long merged = 0;
    List<LiveSlice> start = List.of();
    double flushEntries = 0;
    for (int i = 0; i < FLUSHES; i++) {
      if (i == FLUSHES / 2) {
        start = slices(store);
        flushed = 0;
        merged = 0;
      }
      List<SortedKeySet> memtable = model.flush();
      flushEntries = memtable.stream().mapToInt(SortedKeySet::count).sum();
      flushed += store.flush(memtable);
      Optional<Plan> plan = policy.next(store.shape(), Budget.unlimited());
      while (plan.isPresent()) {
        merged += store.apply(plan.get()).writtenBytes();
        plan = policy.next(store.shape(), Budget.unlimited());
      }
    }
    WhatIfReport forecast =
        WhatIfSimulation.run(
            MergeRule.ADJACENT,
            spec,
            start,
            new LiveLoad(KEYS, 0, 0, ENTRY, flushEntries, FLUSHES / 2, 0, 5),
            Long.MAX_VALUE,
            () -> false);
    double measured = (double) (flushed + merged) / flushed;
    double said =
        (double) (forecast.flushedBytes() + forecast.mergedBytes() + forecast.settleBytes())
            / forecast.flushedBytes();
    assertThat(said / measured).as(said + " of " + measured).isCloseTo(1, within(0.12));
  }

  private static List<LiveSlice> slices(SimulatedStore<SortedKeySet> store) {
    List<LiveSlice> slices = new ArrayList<>();
    for (StoreContents.Slice<SortedKeySet> slice : StoreContents.slices(store)) {
      slices.add(
          new LiveSlice(
              slice.level(),
              slice.run(),
              (double) slice.low() / KEYS,
              (slice.high() + 1.0) / KEYS,
              slice.entries(),
              0,
              slice.segment().group(),
              slice.segment().parents()));
    }
    return slices;
  }
}
