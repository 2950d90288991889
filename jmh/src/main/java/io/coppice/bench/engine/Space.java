// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.bench.engine;

import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;

/**
 * What one store took of the disk under one load, in bytes unless a name says otherwise.
 *
 * @param writeSeconds until the last write had returned
 * @param settledSeconds until the policy wanted nothing more
 * @param peak most bytes in the directory, of samples taken every 100 ms
 * @param live bytes in the directory once all was settled
 * @param transientPeak most bytes of tables beyond those of the version of the same moment
 * @param bound what early cleaning promises for it: for each merge slot as many tables as a step
 *     makes and as there are runs in a merge; 0 if it is off
 * @param runs most runs in one merge
 * @param writeAmplification bytes flushed and merged over bytes flushed
 * @param mergeRate bytes a second that one last merge of everything read
 * @param samples how many were taken
 */
record Space(
    double writeSeconds,
    double settledSeconds,
    long peak,
    long live,
    long transientPeak,
    long bound,
    int runs,
    double writeAmplification,
    double mergeRate,
    int samples) {

  double peakOverLive() {
    return (double) peak / live;
  }

  /** As one line that {@link #parse} reads. */
  String text() {
    return String.format(
        Locale.ROOT,
        "write=%.3f settled=%.3f peak=%d live=%d transient=%d bound=%d runs=%d wa=%.3f rate=%.0f samples=%d",
        writeSeconds,
        settledSeconds,
        peak,
        live,
        transientPeak,
        bound,
        runs,
        writeAmplification,
        mergeRate,
        samples);
  }

  static Space parse(String line) {
    Map<String, String> figures = new LinkedHashMap<>();
    for (String word : line.split(" ")) {
      int equals = word.indexOf('=');
      figures.put(word.substring(0, equals), word.substring(equals + 1));
    }
    return new Space(
        Double.parseDouble(figures.get("write")),
        Double.parseDouble(figures.get("settled")),
        Long.parseLong(figures.get("peak")),
        Long.parseLong(figures.get("live")),
        Long.parseLong(figures.get("transient")),
        Long.parseLong(figures.get("bound")),
        Integer.parseInt(figures.get("runs")),
        Double.parseDouble(figures.get("wa")),
        Double.parseDouble(figures.get("rate")),
        Integer.parseInt(figures.get("samples")));
  }
}
