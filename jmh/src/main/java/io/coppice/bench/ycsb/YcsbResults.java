// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.bench.ycsb;

import static io.coppice.bench.report.Texts.text;

import io.coppice.bench.report.SuiteRow;
import io.coppice.bench.store.StoreSpec;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** Results of YCSB: figures of each round, by store and workload. */
public final class YcsbResults {

  private static final double RECORDS_GOAL = 1.2;
  private static final double SCANS_GOAL = 0.8;

  private final Map<String, List<YcsbFigures>> figures = new HashMap<>();

  private static String key(StoreSpec store, YcsbWorkload workload) {
    return store.label() + " " + workload;
  }

  void add(StoreSpec store, YcsbWorkload workload, YcsbFigures found) {
    figures.computeIfAbsent(key(store, workload), absent -> new ArrayList<>()).add(found);
  }

  private List<YcsbFigures> of(StoreSpec store, YcsbWorkload workload) {
    return figures.getOrDefault(key(store, workload), List.of());
  }

  /** Returns a row for each workload and each store other than Coppice. */
  public List<SuiteRow> rows() {
    List<SuiteRow> rows = new ArrayList<>();
    StoreSpec ours = YcsbCell.STORES.get(0);
    for (StoreSpec peer : YcsbCell.STORES.subList(1, YcsbCell.STORES.size())) {
      boolean headline = peer.kind() == StoreSpec.Kind.ROCKSDB;
      for (YcsbWorkload workload : YcsbWorkload.values()) {
        double goal = workload == YcsbWorkload.E ? SCANS_GOAL : RECORDS_GOAL;
        rows.add(row(ours, peer, workload, headline ? goal : SuiteRow.NO_GOAL));
      }
    }
    return rows;
  }

  /**
   * Returns the rate of one store divided by that of another, in the first round, waits for merges
   * included.
   *
   * @param letter letter of the workload, in either case
   * @throws IndexOutOfBoundsException if a store has no first round
   */
  public double ratio(StoreSpec store, StoreSpec other, String letter) {
    YcsbWorkload workload = YcsbWorkload.valueOf(letter.toUpperCase(Locale.ROOT));
    return of(store, workload).get(0).settledRate() / of(other, workload).get(0).settledRate();
  }

  private SuiteRow row(StoreSpec ours, StoreSpec peer, YcsbWorkload workload, double goal) {
    String id = "ycsb_" + workload.label() + "_over_" + peer.label();
    int rounds = Math.min(of(ours, workload).size(), of(peer, workload).size());
    if (rounds == 0) {
      return SuiteRow.notMeasured(id, "no round of it");
    }
    YcsbFigures mine = of(ours, workload).get(0);
    YcsbFigures other = of(peer, workload).get(0);
    return SuiteRow.moreIsBetter(
            id,
            "op/s",
            rates(ours, workload, rounds),
            rates(peer, workload, rounds),
            goal,
            text(
                "settled; p99 %.0f and %.0f us%s",
                mine.p99Micros(), other.p99Micros(), rounds < 3 ? "; no spread" : ""))
        .steady();
  }

  private double[] rates(StoreSpec store, YcsbWorkload workload, int rounds) {
    return of(store, workload).stream()
        .limit(rounds)
        .mapToDouble(YcsbFigures::settledRate)
        .toArray();
  }
}
