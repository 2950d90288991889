// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.bench.compare;

import com.datastax.oss.driver.api.core.cql.AsyncResultSet;
import com.datastax.oss.driver.api.core.cql.Row;
import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.coppice.bench.compare.report.ComparisonProgress;
import io.coppice.bench.compare.report.Figures;
import io.coppice.bench.workload.Expectation;
import io.coppice.bench.workload.LoadShape;
import io.coppice.bench.workload.Mix;
import io.coppice.bench.workload.RowState;
import io.coppice.bench.workload.Workload;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Check of a sample of rows against the generator: live, deleted, expired and never-written ones.
 * It reads three partitions in four as a whole and the fourth row by row, because Cassandra
 * executes these reads differently. The sample is the same in every check of a run.
 */
final class RowVerifier {

  private static final int MAX_EXAMPLES = 3;
  private static final int READ_ROW_BY_ROW = 4;

  /** Divisor of the sample: one partition in this many was never written. */
  private static final int NEVER = 5;

  private static final int READS_PER_STEP = 500;

  private final Cql cql;
  private final Expectation expected;
  private final long[] sample;

  @GuardedBy("this")
  private final Map<RowState, Long> rows = new EnumMap<>(RowState.class);

  @GuardedBy("this")
  private final List<String> examples = new ArrayList<>();

  @GuardedBy("this")
  private long wrong;

  RowVerifier(Cql cql, Expectation expected, long[] sample) {
    this.cql = cql;
    this.expected = expected;
    this.sample = sample;
  }

  /**
   * Returns the distinct numbers of partitions, some of them never written, that together have at
   * least this many rows.
   */
  static long[] sample(long seed, long partitions, int rows) {
    int wanted = (rows + LoadShape.ROWS_PER_PARTITION - 1) / LoadShape.ROWS_PER_PARTITION;
    int written = (int) Math.min(partitions, wanted - wanted / NEVER);
    long[] sample = new long[wanted];
    // Every step-th partition from a random start: spread evenly, and never the same one twice.
    long first = Mix.below(partitions, seed + 3, 0);
    double step = (double) partitions / written;
    for (int i = 0; i < wanted; i++) {
      sample[i] =
          i < written
              ? Math.floorMod(first + (long) (i * step), partitions)
              : Workload.NEVER_WRITTEN + i;
    }
    return sample;
  }

  /**
   * Reads the whole sample and returns the result of the check; wrong rows do not throw. Called
   * once per instance.
   *
   * @param when the point of the run, for the report
   * @throws IllegalStateException if a statement failed
   */
  Figures.Check run(String when, ComparisonProgress progress) throws InterruptedException {
    InFlight inFlight = new InFlight(cql.session());
    long start = System.nanoTime();
    for (int i = 0; i < sample.length && !inFlight.hasFailed(); i++) {
      if (i % READS_PER_STEP == 0) {
        progress.advance(
            (double) i / sample.length,
            "%d rows  %.0f/s"
                .formatted(
                    (long) i * LoadShape.ROWS_PER_PARTITION,
                    i * LoadShape.ROWS_PER_PARTITION / ((System.nanoTime() - start) / 1e9 + 1e-3)));
      }
      long partition = sample[i];
      if (i % READ_ROW_BY_ROW == 0) {
        for (int c = 0; c < LoadShape.ROWS_PER_PARTITION; c++) {
          int clustering = c;
          inFlight.send(
              cql.row(partition, clustering),
              answer -> compare(partition, clustering, clustering + 1, answer));
        }
      } else {
        inFlight.send(
            cql.partition(partition),
            answer -> compare(partition, 0, LoadShape.ROWS_PER_PARTITION, answer));
      }
    }
    inFlight.drain();
    synchronized (this) {
      return new Figures.Check(when, Map.copyOf(rows), wrong, List.copyOf(examples));
    }
  }

  /** Compares the rows of a partition from one clustering (inclusive) to another (exclusive). */
  private synchronized void compare(long partition, int from, int to, AsyncResultSet answer) {
    Map<Integer, byte[]> found = new HashMap<>();
    for (Row row : answer.currentPage()) {
      if (found.put(Cql.clustering(row), Cql.value(row)) != null) {
        mistake(partition, Cql.clustering(row), "came twice");
      }
    }
    for (int clustering = from; clustering < to; clustering++) {
      RowState state = expected.state(partition, clustering);
      rows.merge(state, 1L, Long::sum);
      byte[] value = found.remove(clustering);
      byte[] right = expected.value(partition, clustering);
      if (!Arrays.equals(value, right)) {
        mistake(
            partition,
            clustering,
            "is %s, must be %s (%s)".formatted(words(value), words(right), state));
      }
    }
    found.keySet().forEach(extra -> mistake(partition, extra, "was never asked for"));
  }

  private synchronized void mistake(long partition, int clustering, String what) {
    wrong++;
    if (examples.size() < MAX_EXAMPLES) {
      examples.add("row %d/%d %s".formatted(partition, clustering, what));
    }
  }

  private static String words(byte[] value) {
    return value == null
        ? "absent"
        : "%d bytes %08x".formatted(value.length, Arrays.hashCode(value));
  }
}
