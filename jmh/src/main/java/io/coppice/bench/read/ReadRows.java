// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.bench.read;

import io.coppice.bench.suite.SuiteRow;
import java.nio.file.FileSystems;
import java.nio.file.Path;
import java.nio.file.PathMatcher;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * All rows of the suite, with their goals. Where a goal names no number of clients it is set for
 * one and for eight.
 */
final class ReadRows {

  static final String COUNTS_HIT = "counts_hit";
  static final String COUNTS_MISS = "counts_miss";
  static final String COUNTS_FILTERS = "counts_filters";
  static final String COUNTED = "ours";

  private static final String RATE_UNIT = "op/s";
  private static final double HUNDRED = 100;

  /** As the reading of cold blocks at once is claimed to pay. */
  private static final double ABSENT_1 = 4;

  private static final double ABSENT_8 = 1.6;
  private static final double HIT_1 = 2.2;
  private static final double HIT_8 = 1.3;
  private static final double RING = 1.3;
  private static final double BEST = 0.95;
  private static final double FILTERS = 3.7;
  private static final double SEEK = 1.42;
  private static final double HOT = 0.97;
  private static final double PEER = 1;
  private static final double PEER_MISSING = 2;
  private static final double PEER_SEEK_FOREST = 0.8;

  private static final double MOST_FALSE_POSITIVE_PERCENT = 1;
  private static final double MOST_FILTER_PERCENT = 1.25;

  private static final List<String> SERIALS = List.of(Contest.SERIAL, Contest.SERIAL_MAPPED);

  static final List<RowSpec> ALL = all();

  private ReadRows() {}

  /** Those whose id matches a pattern such as {@code cold_*}, or one of several in braces. */
  static List<RowSpec> matching(String glob) {
    PathMatcher matcher = FileSystems.getDefault().getPathMatcher("glob:" + glob);
    return ALL.stream().filter(row -> matcher.matches(Path.of(row.id()))).toList();
  }

  private static List<RowSpec> all() {
    List<RowSpec> rows = new ArrayList<>();
    cold(rows);
    filters(rows);
    hot(rows);
    seeks(rows);
    best(rows);
    rows.add(RowSpec.ofCounts("hit_blocks_within_bound", ReadRows::blocksOfHits));
    rows.addAll(GroupedRows.all());
    return List.copyOf(rows);
  }

  private static void cold(List<RowSpec> rows) {
    ReadOperation miss = ReadOperation.MISS;
    ReadOperation hit = ReadOperation.HIT;
    rows.add(overSerial("cold_point_fc_over_serial", miss, 1, Contest.FIXED, ABSENT_1));
    rows.add(overSerial("cold_point_fc_over_serial_8", miss, 8, Contest.FIXED, ABSENT_8));
    rows.add(overSerial("cold_hit_fc_over_serial", hit, 1, Contest.FIXED, HIT_1));
    rows.add(eitherOverSerial("cold_hit_pa_or_adaptive_over_serial_8", hit, 8, HIT_8));
    double none = SuiteRow.NO_GOAL;
    rows.add(overSerial("cold_hit_adaptive_over_serial_8", hit, 8, Contest.ADAPTIVE, none));
    rows.add(overSerial("cold_hit_pa_over_serial_8", hit, 8, Contest.PRIORITY, none));
    rows.add(readers("cold_point_ring_over_pool", 1, RING));
    rows.add(readers("cold_point_ring_over_pool_8", 8, RING));
  }

  private static void filters(List<RowSpec> rows) {
    for (ReadOperation operation : List.of(ReadOperation.HIT, ReadOperation.MISS)) {
      for (int clients : Contest.CLIENTS) {
        String contest = Contest.filtersId(operation, clients);
        rows.add(
            sides(
                "cold_" + label(operation) + "_filters_on_over_off" + suffix(clients),
                contest,
                "on",
                "off",
                FILTERS));
      }
    }
    rows.add(RowSpec.ofCounts("filter_false_positive_percent", ReadRows::falsePositives));
    rows.add(RowSpec.ofCounts("filter_memory_percent", ReadRows::filterMemory));
  }

  private static void hot(List<RowSpec> rows) {
    for (ReadOperation operation : List.of(ReadOperation.HIT, ReadOperation.MISS)) {
      rows.add(
          sides(
              "hot_" + label(operation) + "_adaptive_over_serial",
              Contest.schemesId(Variant.HOT_FOREST, operation, 1),
              Contest.ADAPTIVE,
              Contest.SERIAL,
              HOT));
    }
    rows.add(peer("hot_hit_over_rocksdb", ReadOperation.HIT, 1, Dataset.FOREST, PEER));
    rows.add(peer("hot_hit_over_rocksdb_4", ReadOperation.HIT, 4, Dataset.FOREST, PEER));
    rows.add(peer("hot_missing_over_rocksdb", ReadOperation.MISS, 1, Dataset.FOREST, PEER_MISSING));
    rows.add(
        peer(
            "hot_seek50_forest_over_rocksdb",
            ReadOperation.SEEK50,
            1,
            Dataset.FOREST,
            PEER_SEEK_FOREST));
    rows.add(
        peer("hot_seek50_leveled_over_rocksdb", ReadOperation.SEEK50, 1, Dataset.LEVELED, PEER));
    for (Dataset ours : List.of(Dataset.FOREST, Dataset.LEVELED)) {
      String id = "hot_prev50_" + ours.label() + "_over_rocksdb";
      rows.add(peer(id, ReadOperation.PREV50, 1, ours, SuiteRow.NO_GOAL));
    }
  }

  private static void seeks(List<RowSpec> rows) {
    for (ReadOperation operation :
        List.of(ReadOperation.SEEK, ReadOperation.SEEK50, ReadOperation.PREV50)) {
      for (int clients : Contest.CLIENTS) {
        rows.add(
            sides(
                "cold_" + label(operation) + "_parallel_over_serial" + suffix(clients),
                Contest.seeksId(operation, clients),
                Contest.ADAPTIVE,
                Contest.SERIAL,
                operation == ReadOperation.SEEK ? SEEK : SuiteRow.NO_GOAL));
      }
    }
  }

  /** The adaptive scheme beside the best of all others, in every cell. */
  private static void best(List<RowSpec> rows) {
    for (Variant variant :
        List.of(Variant.DIRECT_OFF, Variant.DIRECT_ON, Variant.HOT_OFF, Variant.HOT_ON)) {
      String heat = variant.temperature() == Variant.Temperature.HOT ? "hot" : "cold";
      for (ReadOperation operation : List.of(ReadOperation.HIT, ReadOperation.MISS)) {
        for (int clients : Contest.CLIENTS) {
          String id =
              "adaptive_over_best_%s_%s_%d_filters_%s"
                  .formatted(heat, label(operation), clients, variant.filters() ? "on" : "off");
          String contest = Contest.schemesId(variant, operation, clients);
          rows.add(
              RowSpec.ofContest(
                  id,
                  contest,
                  samples -> overBest(samples, id, contest, Contest.FIXED_SCHEMES, BEST)));
        }
      }
    }
  }

  private static SuiteRow overBest(
      Samples samples, String id, String contest, List<String> others, double goal) {
    return over(samples, id, contest, Contest.ADAPTIVE, others, goal);
  }

  private static RowSpec overSerial(
      String id, ReadOperation operation, int clients, String side, double goal) {
    String contest = Contest.schemesId(Variant.DIRECT_OFF, operation, clients);
    return RowSpec.ofContest(
        id, contest, samples -> over(samples, id, contest, side, SERIALS, goal));
  }

  /** The faster one of the two schemes of which one is to reach the goal. */
  private static RowSpec eitherOverSerial(
      String id, ReadOperation operation, int clients, double goal) {
    String contest = Contest.schemesId(Variant.DIRECT_OFF, operation, clients);
    List<String> either = List.of(Contest.PRIORITY, Contest.ADAPTIVE);
    return RowSpec.ofContest(
        id,
        contest,
        samples -> over(samples, id, contest, samples.best(contest, either), SERIALS, goal));
  }

  /** One side beside the fastest of others, which are all named. */
  private static SuiteRow over(
      Samples samples, String id, String contest, String side, List<String> others, double goal) {
    String best = samples.best(contest, others);
    StringBuilder note = new StringBuilder(side + " over " + best);
    for (String other : others) {
      if (samples.has(contest, other)) {
        double rate = samples.median(contest, other, Samples.RATE);
        note.append(String.format(Locale.ROOT, "; %s %,.0f", other, rate));
        double warm = samples.warmShare(contest, other);
        if (warm > 0) {
          note.append(String.format(Locale.ROOT, " (not cold: %.0f%% in memory)", 100 * warm));
        }
      }
    }
    return SuiteRow.moreIsBetter(
        id,
        RATE_UNIT,
        samples.of(contest, side, Samples.RATE),
        samples.of(contest, best, Samples.RATE),
        goal,
        note + "; " + medians(samples, contest, side, best));
  }

  private static String medians(Samples samples, String contest, String side, String other) {
    return String.format(
        Locale.ROOT,
        "p50 %.1f and %.1f us, cpu %.1f and %.1f us",
        samples.median(contest, side, Samples.P50),
        samples.median(contest, other, Samples.P50),
        samples.median(contest, side, Samples.CPU),
        samples.median(contest, other, Samples.CPU));
  }

  private static RowSpec readers(String id, int clients, double goal) {
    return sides(id, Contest.readersId(clients), "ring", "pool", goal);
  }

  private static RowSpec sides(String id, String contest, String side, String other, double goal) {
    return RowSpec.ofContest(
        id,
        contest,
        samples ->
            SuiteRow.moreIsBetter(
                id,
                RATE_UNIT,
                samples.of(contest, side, Samples.RATE),
                samples.of(contest, other, Samples.RATE),
                goal,
                medians(samples, contest, side, other)));
  }

  private static RowSpec peer(
      String id, ReadOperation operation, int clients, Dataset ours, double goal) {
    String cell = PeerCell.id(operation, clients);
    return RowSpec.ofCell(
        id,
        cell,
        samples ->
            SuiteRow.moreIsBetter(
                id,
                RATE_UNIT,
                samples.of(cell, ours.label(), Samples.RATE),
                samples.of(cell, Dataset.ROCKSDB.label(), Samples.RATE),
                goal,
                medians(samples, cell, ours.label(), Dataset.ROCKSDB.label())));
  }

  /** Of the filters asked for a key that their table does not have, how many let it pass. */
  private static SuiteRow falsePositives(Samples samples) {
    double[] percent =
        quotient(samples, COUNTS_MISS, "false_positives", COUNTS_MISS, "candidates", HUNDRED);
    return SuiteRow.lessIsBetter(
        "filter_false_positive_percent",
        "%",
        percent,
        all(MOST_FALSE_POSITIVE_PERCENT, percent.length),
        1,
        "of filters asked; 10 bits a key");
  }

  private static SuiteRow filterMemory(Samples samples) {
    double[] percent =
        quotient(samples, COUNTS_FILTERS, "filter_bytes", COUNTS_FILTERS, "data_bytes", HUNDRED);
    return SuiteRow.lessIsBetter(
        "filter_memory_percent",
        "%",
        percent,
        all(MOST_FILTER_PERCENT, percent.length),
        1,
        "of keys and values, at 100 bytes an entry");
  }

  /** A hit may read its own block and one for each filter that is wrong about the key. */
  private static SuiteRow blocksOfHits(Samples samples) {
    double[] blocks = quotient(samples, COUNTS_HIT, "blocks", COUNTS_HIT, "lookups", 1);
    double[] bound = quotient(samples, COUNTS_MISS, "false_positives", COUNTS_MISS, "lookups", 1);
    for (int i = 0; i < bound.length; i++) {
      bound[i] += 1;
    }
    return SuiteRow.lessIsBetter(
        "hit_blocks_within_bound",
        "blocks/hit",
        blocks,
        bound,
        1,
        "counted; peer is 1 + the false positives of a key that is nowhere");
  }

  private static double[] quotient(
      Samples samples, String contest, String above, String other, String below, double factor) {
    double[] dividend = samples.of(contest, COUNTED, above);
    double[] divisor = samples.of(other, COUNTED, below);
    double[] quotient = new double[dividend.length];
    for (int i = 0; i < quotient.length; i++) {
      quotient[i] = factor * dividend[i] / divisor[i];
    }
    return quotient;
  }

  private static double[] all(double figure, int times) {
    double[] all = new double[times];
    java.util.Arrays.fill(all, figure);
    return all;
  }

  private static String label(ReadOperation operation) {
    return operation.name().toLowerCase(Locale.ROOT);
  }

  private static String suffix(int clients) {
    return clients == 1 ? "" : "_" + clients;
  }
}
