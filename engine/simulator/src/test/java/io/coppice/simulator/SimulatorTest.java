// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.simulator;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.coppice.policy.MergeRule;
import io.coppice.policy.spec.PolicyLimits;
import io.coppice.policy.spec.PolicySpec;
import io.coppice.simulator.keys.SortedKeySet;
import io.coppice.simulator.keys.SortedKeySetTest;
import io.coppice.simulator.store.StoreContents;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** The key-exact simulator under every policy; plans are checked, as assertions are on. */
class SimulatorTest {

  private static final int KEYS = 3000;
  private static final int FLUSHES = 80;
  private static final int TABLE = 32;

  static Stream<Arguments> everyPolicyUnderEveryRule() {
    return everyPolicy()
        .flatMap(name -> Stream.of(MergeRule.values()).map(rule -> Arguments.of(name, rule)));
  }

  /** Also one that plans ranges of keys by themselves. */
  static Stream<String> everyPolicy() {
    return Stream.concat(PolicySpec.policyNames().stream(), Stream.of("adaptive,shards=6305"));
  }

  @ParameterizedTest
  @MethodSource("everyPolicyUnderEveryRule")
  void noKeyIsLostAndTheDiskHoldsWhatSlicesShow(String policy, MergeRule rule) {
    Scenario scenario =
        Loads.updates(policy, "zipf:0.99", KEYS, FLUSHES, 64, TABLE)
            .reading(0.1)
            .under(rule)
            .scenario();
    KeyModel model = new KeyModel(scenario);
    Simulation<SortedKeySet> simulation =
        new Simulation<>(scenario, model, (shape, budget, plan) -> {}, true);
    simulation.run(share -> {});

    Set<StoreContents.Table> tables = new HashSet<>();
    List<Integer> keys = new ArrayList<>();
    for (StoreContents.Slice<SortedKeySet> slice : StoreContents.slices(simulation.store())) {
      tables.add(slice.table());
      keys.addAll(SortedKeySetTest.all(List.of(slice.content())));
    }
    assertThat(keys.stream().distinct().count()).isEqualTo((long) model.liveEntries());
    assertThat(simulation.store().diskBytes())
        .isEqualTo(tables.stream().mapToLong(StoreContents.Table::bytes).sum());
  }

  /** A key exists exactly while its newest entry is a value, wherever older ones lie. */
  @ParameterizedTest
  @MethodSource("everyPolicy")
  void deletionsHideAllOlderValues(String policy) {
    Scenario scenario =
        Loads.updates(policy, "uniform-update,deletes:0.5", KEYS / 2, FLUSHES, 64, TABLE)
            .scenario();
    KeyModel model = new KeyModel(scenario);
    Simulation<SortedKeySet> simulation =
        new Simulation<>(scenario, model, (shape, budget, plan) -> {}, true);
    simulation.run(share -> {});

    Map<Integer, Boolean> exists = new TreeMap<>();
    for (StoreContents.Slice<SortedKeySet> slice : StoreContents.slices(simulation.store())) {
      for (int key : SortedKeySetTest.all(List.of(slice.content()))) {
        exists.putIfAbsent(key, slice.content().window(key, key).deletions() == 0);
      }
    }
    assertThat(exists.values().stream().filter(value -> value).count())
        .isEqualTo((long) model.liveEntries());
  }

  /** Under FREE merges hardly ever drop a deletion while an older value is elsewhere. */
  @ParameterizedTest
  @MethodSource("everyPolicy")
  void deletedKeysKeepADeletionWhereRunsHaveNoOrder(String policy) {
    Scenario scenario =
        Loads.updates(policy, "uniform-update,deletes:0.5", KEYS / 2, FLUSHES, 64, TABLE)
            .under(MergeRule.FREE)
            .scenario();
    KeyModel model = new KeyModel(scenario);
    Simulation<SortedKeySet> simulation =
        new Simulation<>(scenario, model, (shape, budget, plan) -> {}, true);
    simulation.run(share -> {});

    Map<Integer, Boolean> deleted = new TreeMap<>();
    for (StoreContents.Slice<SortedKeySet> slice : StoreContents.slices(simulation.store())) {
      for (int key : SortedKeySetTest.all(List.of(slice.content()))) {
        deleted.merge(key, slice.content().window(key, key).deletions() > 0, Boolean::logicalOr);
      }
    }
    long returned =
        deleted.entrySet().stream()
            .filter(entry -> !entry.getValue() && !model.exists(entry.getKey()))
            .count();
    // Tables have one age each, although a merge may take data from both sides of another table.
    assertThat(returned).isLessThanOrEqualTo(deleted.size() / 25);
  }

  /** Under FREE cells carry their age, and places mean nothing. */
  @ParameterizedTest
  @MethodSource("everyPolicy")
  void everyLookupFindsTheNewestVersion(String policy) {
    long seed = Long.getLong("seed", 3);
    Random random = new Random(seed);
    List<int[]> load = new ArrayList<>();
    for (int i = 0; i < FLUSHES; i++) {
      int from = random.nextInt(4) == 0 ? random.nextInt(KEYS) : 0;
      load.add(random.ints(64, from, KEYS).toArray());
    }
    Versions model = new Versions(TABLE, load);
    Scenario bytes = Loads.updates(policy, "uniform-update", KEYS, FLUSHES, 64, TABLE).scenario();
    Scenario scenario =
        new Scenario(
            PolicySpec.parse(policy, new PolicyLimits(TABLE, 1, 1L << 40, 62, true)),
            bytes.rule(),
            bytes.workload(),
            KEYS,
            FLUSHES * 64L,
            64,
            1,
            0,
            0.05,
            Long.MAX_VALUE,
            seed,
            Fidelity.EXACT);
    Simulation<NavigableMap<Integer, Long>> simulation =
        new Simulation<>(scenario, model, (shape, budget, plan) -> {}, true);
    simulation.run(share -> {});

    NavigableMap<Integer, Long> found = new TreeMap<>();
    Map<StoreContents.Table, Long> shown = new HashMap<>();
    for (StoreContents.Slice<NavigableMap<Integer, Long>> slice :
        StoreContents.slices(simulation.store())) {
      slice.content().forEach(found::putIfAbsent);
      shown.merge(slice.table(), 1L + slice.high() - slice.low(), Long::sum);
    }
    assertThat(found).as("seed " + seed).isEqualTo(model.newest());
    shown.forEach(
        (table, ranks) ->
            assertThat(ranks)
                .as("ranks shown")
                .isLessThanOrEqualTo(1L + table.high() - table.low()));
  }

  @ParameterizedTest
  @MethodSource("everyPolicyUnderEveryRule")
  void oneScenarioHasOneReport(String policy, MergeRule rule) {
    Loads load = Loads.updates(policy, "uniform-update", KEYS, FLUSHES, 64, TABLE).under(rule);
    assertThat(load.run()).isEqualTo(load.run());
  }

  @ParameterizedTest
  @MethodSource("everyPolicy")
  void noPolicyFillsTheDiskBeyondItsBudget(String policy) {
    for (String workload : List.of("insert", "uniform-update", "zipf:0.99")) {
      for (int tables : new int[] {12, 30}) {
        long entries = (long) tables * TABLE;
        // A plan that fills the disk by more ends the run with an exception.
        SimulationReport report =
            Loads.updates(policy, workload, FLUSHES * 64, FLUSHES, 64, TABLE).within(entries).run();
        long live = report.samples().get(report.samples().size() - 1).liveBytes();
        assertThat(report.transientPeak() * live)
            .as(workload + " within " + tables + " tables")
            .isLessThanOrEqualTo(entries * Loads.ENTRY_BYTES);
        assertThat(report.wa()).isGreaterThan(1);
      }
    }
  }

  @Test
  void readsHaveVirtualSegmentsMerged() {
    Loads quiet = Loads.once("delayed,vsmt=3", "insert", 300, 64, TABLE);
    SimulationReport alone = quiet.run();
    SimulationReport read = quiet.reading(1).run();
    assertThat(read.raMean()).isLessThan(alone.raMean());
    assertThat(read.wa()).isGreaterThan(alone.wa());
    assertThat(read.causes()).anyMatch(cause -> cause.code().equals("read-request"));
  }

  @Test
  void everyFaultOfAScenarioIsNamedAtOnce() {
    Scenario good = Loads.once("leveled", "insert", 10, 64, TABLE).scenario();
    Scenario bad =
        new Scenario(
            good.policy(),
            good.rule(),
            good.workload(),
            200_000_000L * 100,
            200_000_001L * 100,
            99,
            100,
            65,
            -1,
            -2,
            1,
            Fidelity.EXACT);
    assertThatIllegalArgumentException()
        .isThrownBy(() -> Simulator.run(bad, share -> {}))
        .withMessageContainingAll(
            "memtableBytes (99)",
            "must equal dataBytes (20000000000)",
            "the load has 200000001 operations on 200000000 keys",
            "filterBits (65)",
            "readsPerWrite (-1.0)",
            "transientBytes (-2)");
  }
}
