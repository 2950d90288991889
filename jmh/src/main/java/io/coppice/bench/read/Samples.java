// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.bench.read;

import io.coppice.bench.report.RepeatSpread;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * Samples that the processes report: for each {@link Contest} or {@link ReadCell} and each of its
 * sides, the figures of each round in order. Filled by one thread.
 */
final class Samples {

  static final String RATE = "rate";
  static final String P50 = "p50";
  static final String P99 = "p99";
  static final String CPU = "cpu";

  private final Map<String, List<Map<String, Double>>> rounds = new LinkedHashMap<>();

  /** Largest share of the data in the page cache, by contest and side. */
  private final Map<String, Double> warm = new TreeMap<>();

  /** Reasons why contests were not measured, by contest. */
  private final Map<String, String> missing = new TreeMap<>();

  /**
   * Adds the sample of one round.
   *
   * @param line contest, side, and figures as {@code name=number}, separated by blanks
   */
  void add(String line) {
    String[] words = line.split(" ");
    Map<String, Double> figures = new LinkedHashMap<>();
    for (int i = 2; i < words.length; i++) {
      int equals = words[i].indexOf('=');
      figures.put(words[i].substring(0, equals), Double.valueOf(words[i].substring(equals + 1)));
    }
    rounds.computeIfAbsent(words[0] + " " + words[1], key -> new ArrayList<>()).add(figures);
  }

  /**
   * Records a contest that this machine cannot measure.
   *
   * @param line contest and reason, separated by a blank
   */
  void missing(String line) {
    int space = line.indexOf(' ');
    missing.put(line.substring(0, space), line.substring(space + 1));
  }

  /** Returns why a contest or cell was not measured; empty if it was. */
  Optional<String> reason(String contest) {
    return Optional.ofNullable(missing.get(contest));
  }

  /**
   * Records the share of the data that was in memory although a side should have been cold.
   *
   * @param line contest, side and share, separated by blanks
   */
  void warm(String line) {
    String[] words = line.split(" ");
    warm.merge(words[0] + " " + words[1], Double.valueOf(words[2]), Math::max);
  }

  /**
   * Returns the largest recorded share of a side's data that was in memory although the side should
   * have been cold; 0 if none was recorded.
   */
  double warmShare(String contest, String side) {
    return warm.getOrDefault(contest + " " + side, 0.0);
  }

  boolean has(String contest, String side) {
    return rounds.containsKey(contest + " " + side);
  }

  /**
   * Returns a figure of each round, in order, NaN for rounds without it.
   *
   * @throws IllegalStateException if the side was not measured
   */
  double[] of(String contest, String side, String figure) {
    List<Map<String, Double>> all = rounds.get(contest + " " + side);
    if (all == null) {
      throw new IllegalStateException("nothing was measured of " + contest + ", " + side);
    }
    return all.stream().mapToDouble(round -> round.getOrDefault(figure, Double.NaN)).toArray();
  }

  double median(String contest, String side, String figure) {
    return RepeatSpread.of(of(contest, side, figure)).median();
  }

  /**
   * Returns the fastest measured side by the median rate. Sides that were warm instead of cold
   * count only if all sides were.
   *
   * @throws java.util.NoSuchElementException if no side was measured
   */
  String best(String contest, List<String> sides) {
    List<String> measured = sides.stream().filter(side -> has(contest, side)).toList();
    List<String> fair = measured.stream().filter(side -> warmShare(contest, side) == 0).toList();
    return (fair.isEmpty() ? measured : fair)
        .stream()
            .max(Comparator.comparingDouble(side -> median(contest, side, RATE)))
            .orElseThrow();
  }
}
