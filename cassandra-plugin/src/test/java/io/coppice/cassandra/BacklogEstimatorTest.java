// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.cassandra;

import static org.assertj.core.api.Assertions.assertThat;

import io.coppice.cassandra.sstable.CqlOptions;
import io.coppice.cassandra.sstable.Placement;
import io.coppice.cassandra.sstable.SSTableOutline;
import io.coppice.policy.Backlog;
import io.coppice.policy.spec.PolicySpec;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

final class BacklogEstimatorTest {

  private static final long TABLE = 1 << 20;

  /** Of one level, a run, each over one of so many shares of the ring. */
  private static List<SSTableOutline<Double>> neighbours(
      int count, int from, double shares, long bytes) {
    List<SSTableOutline<Double>> tables = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      double last = Math.nextDown((from + i + 1) / shares);
      tables.add(
          new SSTableOutline<>(i + 1, (from + i) / shares, last, 1, bytes, 100, 0, false, 0));
    }
    return tables;
  }

  private static Backlog backlog(List<SSTableOutline<Double>> tables) {
    PolicySpec spec = CqlOptions.fallback("leveled").with("table_size=1MiB");
    Placement placement = new Placement(TABLE, 10, 1);
    return new BacklogEstimator(spec.policy(), placement, tables, Set.of(), 0, 1).backlog();
  }

  @Test
  void neighboursThatMeetAtACommonBoundAreJoinedAcrossIt() {
    // Shards of about a table end between the two of each pair.
    for (int from = 0; from < 4; from++) {
      for (long percent = 10; percent < 50; percent++) {
        Backlog backlog = backlog(neighbours(4, from, 64, TABLE * percent / 100));
        assertThat(backlog.plans()).as("%d %% of a table, from %d", percent, from).isBetween(1, 4);
      }
    }
  }

  @Test
  void deletionsAreWorkUntilTheyReachTheDataThatTheyHide() {
    List<SSTableOutline<Double>> tables = new ArrayList<>();
    for (int i = 0; i < 16; i++) {
      double last = Math.nextDown((i + 1) / 16.0);
      tables.add(new SSTableOutline<>(i + 1, i / 16.0, last, 2, TABLE, 10_000, 0, false, 0));
    }
    long rows = 100_000;
    assertThat(backlog(with(tables, rows, 0)).plans()).isZero();
    Backlog backlog = backlog(with(tables, rows, rows));
    assertThat(backlog.plans()).isPositive();
    assertThat(backlog.bytes()).isBetween(TABLE, 40 * TABLE);
  }

  private static List<SSTableOutline<Double>> with(
      List<SSTableOutline<Double>> tables, long rows, long hidden) {
    List<SSTableOutline<Double>> all = new ArrayList<>(tables);
    all.add(new SSTableOutline<>(17, 0.0, 0.999, 1, TABLE / 2, rows, rows, false, hidden));
    return all;
  }
}
