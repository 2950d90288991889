// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.simulator;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.stream.IntStream;
import org.assertj.core.data.Offset;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What algebra says of a layout, the simulator finds. Reference: theory of stepped merges. */
class ClosedFormsTest {

  private static final int FLUSHES = 1000;
  private static final int MEMTABLE = 64;
  private static final Offset<Double> EXACTLY = within(1e-9);

  @ParameterizedTest
  @CsvSource({
    "split-forest,fanout,2",
    "split-forest,fanout,3",
    "split-forest,fanout,4",
    "split-forest,fanout,10",
    "grouped,groups,3",
    "grouped,groups,4",
    "grouped,groups,7"
  })
  void uniqueKeysAreWrittenOnceAStage(String name, String option, int fanout) {
    SimulationReport report =
        Loads.once(name + "," + option + "=" + fanout, "insert", FLUSHES, MEMTABLE, MEMTABLE / 2)
            .run();

    assertThat(report.flushes()).isEqualTo(FLUSHES);
    assertThat(report.wa()).isEqualTo(steppedWriteAmplification(FLUSHES, fanout), EXACTLY);
    assertThat(report.samples())
        .allSatisfy(
            sample -> {
              long flushes = sample.userBytes() / MEMTABLE / Loads.ENTRY_BYTES;
              assertThat(sample.runs()).isEqualTo(digitSum(flushes, fanout));
            });
    int maxTrees = IntStream.rangeClosed(1, FLUSHES).map(n -> digitSum(n, fanout)).max().orElse(0);
    assertThat(report.raMax()).isEqualTo(maxTrees);
  }

  /** Without the space that the oldest run may bear, each merge of tiered takes everything. */
  @ParameterizedTest
  @ValueSource(ints = {2, 4, 9})
  void tieredWithoutSpareSpaceRewritesEverythingAtItsTrigger(int trigger) {
    int flushes = 200;
    String policy = "tiered,max_size_amplification_percent=0,trigger=" + trigger;
    // The base is one table: of several, one beside all flushes would move.
    SimulationReport report =
        Loads.once(policy, "insert", flushes, MEMTABLE, flushes * MEMTABLE).run();

    double written = flushes;
    for (int flush = trigger; flush <= flushes; flush += trigger - 1) {
      written += flush;
    }
    assertThat(report.wa()).isEqualTo(written / flushes, EXACTLY);
    assertThat(report.samples())
        .allSatisfy(
            sample -> {
              int flush = Math.toIntExact(sample.userBytes() / MEMTABLE / Loads.ENTRY_BYTES);
              int runs = flush < trigger ? flush : 1 + (flush - trigger) % (trigger - 1);
              assertThat(sample.runs()).isEqualTo(runs);
            });
    assertThat(report.raMax()).isEqualTo(trigger - 1);
  }

  @ParameterizedTest
  @CsvSource({"split-forest,1.0", "delayed,1.0", "tiered,1.0", "leveled,2.0"})
  void keysInOrderAreWrittenOnceMore(String policy, double bound) {
    SimulationReport report = Loads.once(policy, "sequential", 300, MEMTABLE, MEMTABLE).run();
    assertThat(report.wa()).isBetween(1.0, bound);
  }

  @ParameterizedTest
  @ValueSource(strings = {"uniform-update", "zipf:0.99"})
  void earlyCleaningKeepsAMergeWithinItsThresholdAndOneTableAnInput(String workload) {
    int table = 32;
    for (int threshold : new int[] {1, 3, 10}) {
      for (int fanout : new int[] {2, 4, 10}) {
        String policy = "split-forest,fanout=" + fanout + ",cleaning_threshold=" + threshold;
        SimulationReport report = Loads.updates(policy, workload, 20_000, 300, table, table).run();
        long live = report.samples().get(report.samples().size() - 1).liveBytes();
        double tables = report.transientPeak() * live / table / Loads.ENTRY_BYTES;
        // A stage may have gathered up to twice its fanout of trees.
        assertThat(tables).as(policy).isBetween(1.0, threshold + 2.0 * fanout - 1);
      }
    }
  }

  /** 1 + the sum over i from 1 of f^i · floor(n / f^i) / n. */
  private static double steppedWriteAmplification(long flushes, int fanout) {
    double written = flushes;
    for (long step = fanout; step <= flushes; step *= fanout) {
      written += step * (flushes / step);
    }
    return written / flushes;
  }

  private static int digitSum(long number, int base) {
    int sum = 0;
    for (long rest = number; rest > 0; rest /= base) {
      sum += (int) (rest % base);
    }
    return sum;
  }
}
