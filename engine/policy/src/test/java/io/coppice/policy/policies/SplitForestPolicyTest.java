// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.policy.policies;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.coppice.policy.MergeRule;
import io.coppice.policy.ShapeStore;
import io.coppice.policy.Workload;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** What the split forest costs, against its closed forms. */
class SplitForestPolicyTest {

  private static final int FLUSH = 40;
  private static final int TABLE = 20;

  @ParameterizedTest(name = "fanout {0}, {1} flushes, {2}")
  @CsvSource({
    "2, 63, ADJACENT",
    "2, 64, ADJACENT",
    "3, 200, ADJACENT",
    "4, 1, ADJACENT",
    "4, 3, ADJACENT",
    "4, 4, ADJACENT",
    "4, 976, ADJACENT",
    "10, 230, ADJACENT",
    "2, 64, FREE",
    "4, 300, FREE",
    "10, 230, FREE",
  })
  void uniformLoadIsWrittenOnceAStage(int fanout, int flushes, MergeRule rule) {
    ShapeStore store =
        Workload.run(
            "split-forest,fanout=" + fanout, rule, TABLE, flushes, Workload.uniform(FLUSH));
    double stages = 1;
    for (int trees = fanout; trees <= flushes; trees *= fanout) {
      stages += (double) (trees * (flushes / trees)) / flushes;
    }
    int digits = 0;
    for (int rest = flushes; rest > 0; rest /= fanout) {
      digits += rest % fanout;
    }
    assertThat(store.writeAmplification()).isCloseTo(stages, within(0.001));
    assertThat(store.runs()).isEqualTo(digits);
    assertThat(store.moves()).isZero();
  }

  @ParameterizedTest
  @EnumSource(MergeRule.class)
  void sequentialLoadIsOnlyMoved(MergeRule rule) {
    ShapeStore store = Workload.run("split-forest", rule, TABLE, 976, Workload.sequential(FLUSH));
    assertThat(store.writeAmplification()).isEqualTo(1.0);
    assertThat(store.merges()).isZero();
  }

  @Test
  void movesCarryEachByteOnceAStage() {
    ShapeStore store =
        Workload.run("split-forest", MergeRule.ADJACENT, TABLE, 256, Workload.sequential(FLUSH));
    assertThat(store.movedBytes()).isEqualTo(4 * store.flushedBytes());
    assertThat(store.runs()).isEqualTo(1);
  }

  @ParameterizedTest
  @EnumSource(MergeRule.class)
  void tinyTablesThatLieApartEndAsFewLargeOnes(MergeRule rule) {
    int entriesPerTable = 64;
    int flushes = 1024;
    ShapeStore store =
        Workload.run("split-forest", rule, entriesPerTable, flushes, Workload.scattered());
    double minTables = (double) flushes / entriesPerTable;
    // In each tree up to three small tables may wait for a fourth; in level 0, where they may be
    // the
    // parts of one flush, under FREE as many as one may have.
    int inLevelZero = rule == MergeRule.FREE ? 63 : 0;
    assertThat((double) store.slices()).isLessThan(2 * minTables + 3 * store.runs() + inLevelZero);
    // A byte is rewritten once for each doubling of its table, and at most once a stage by overlap.
    assertThat(store.writeAmplification()).isLessThan(1 + Math.log(entriesPerTable) / Math.log(2));
  }
}
