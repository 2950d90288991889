// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.cassandra.observe;

import static org.assertj.core.api.Assertions.assertThat;

import io.coppice.cassandra.sstable.SSTableInventory;
import io.coppice.cassandra.sstable.SSTableOutline;
import io.coppice.cassandra.sstable.ShapeBuilder;
import io.coppice.policy.Shape;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class StrategyStatusCacheTest {

  private static final long NOW = 1_800_000_000;

  private final StrategyStatusCache kept = new StrategyStatusCache();

  /** Of a drawing that is another one than all before. */
  private static SSTableInventory.Snapshot drawn() {
    Shape shape = ShapeBuilder.draw(List.<SSTableOutline<Integer>>of(), List.of());
    return new SSTableInventory.Snapshot(
        shape, shape, new ArrayList<>(), Map.of(), Map.of(), Map.of());
  }

  private Object runs(SSTableInventory.Snapshot snapshot, String part, long atSeconds) {
    return kept.of(PlanningSummary.NONE, snapshot, part, atSeconds).runs();
  }

  @Test
  void describesAnewOnlyWhatHasChangedOrIsAMinuteOld() {
    SSTableInventory.Snapshot snapshot = drawn();
    Object first = runs(snapshot, "unrepaired", NOW);
    assertThat(runs(snapshot, "unrepaired", NOW + 59)).isSameAs(first);
    Object later = runs(snapshot, "unrepaired", NOW + 60);
    assertThat(later).isNotSameAs(first);
    assertThat(runs(snapshot, "unrepaired", NOW + 119)).isSameAs(later);
    Object renamed = runs(snapshot, "repaired", NOW + 119);
    assertThat(renamed).isNotSameAs(later);
    Object back = runs(snapshot, "repaired", NOW);
    assertThat(back).as("the clock was set back").isNotSameAs(renamed);
    Object other = runs(drawn(), "repaired", NOW);
    assertThat(other).isNotSameAs(back);
  }

  @Test
  void whatIsStillToDoIsThatOfNow() {
    SSTableInventory.Snapshot snapshot = drawn();
    runs(snapshot, "", NOW);
    PlanningSummary summary =
        new PlanningSummary(7, PlanningSummary.NONE.backlog(), 2, List.of(), List.of());
    assertThat(kept.of(summary, snapshot, "", NOW).summary()).isSameAs(summary);
  }
}
