// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.simulator;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.stream.IntStream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What algebra says of a layout, the simulator finds. Reference: theory of stepped merges. */
class ClosedFormsTest {

  private static final int FLUSHES = 1000;
  private static final int MEMTABLE = 64;

  @ParameterizedTest
  @CsvSource({"split-forest,2", "split-forest,3", "split-forest,4", "split-forest,10"})
  void uniqueKeysAreWrittenOnceAStage(String name, int fanout) {
    String policy = name + ",fanout=" + fanout;
    Report report = Loads.once(policy, "insert", FLUSHES, MEMTABLE, MEMTABLE / 2).run();

    assertThat(report.flushes()).isEqualTo(FLUSHES);
    assertThat(report.wa()).isEqualTo(steppedWriteAmplification(FLUSHES, fanout), within(1e-9));
    assertThat(report.samples())
        .allSatisfy(
            sample -> {
              long flushes = sample.userBytes() / MEMTABLE / Loads.ENTRY_BYTES;
              assertThat(sample.runs()).isEqualTo(digitSum(flushes, fanout));
            });
    int mostTrees = IntStream.rangeClosed(1, FLUSHES).map(n -> digitSum(n, fanout)).max().orElse(0);
    assertThat(report.raMax()).isEqualTo(mostTrees);
  }

  @ParameterizedTest
  @CsvSource({"split-forest,1.0", "leveled,2.0"})
  void keysInOrderAreWrittenOnceMore(String policy, double bound) {
    Report report = Loads.once(policy, "sequential", 300, MEMTABLE, MEMTABLE).run();
    assertThat(report.wa()).isBetween(1.0, bound);
    assertThat(report.transientPeak()).isEqualTo(report.wa() == 1 ? 0 : report.transientPeak());
  }

  @ParameterizedTest
  @ValueSource(strings = {"uniform-update", "zipf:0.99"})
  void earlyCleaningKeepsAMergeWithinItsThresholdAndOneTableAnInput(String workload) {
    int table = 32;
    for (int threshold : new int[] {1, 3, 10}) {
      for (int fanout : new int[] {2, 4, 10}) {
        String policy = "split-forest,fanout=" + fanout + ",cleaning_threshold=" + threshold;
        Report report = Loads.updates(policy, workload, 20_000, 300, table, table).run();
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
