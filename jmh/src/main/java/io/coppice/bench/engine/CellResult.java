// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.bench.engine;

import java.util.EnumMap;
import java.util.Locale;
import java.util.Map;

/** What one workload measured on one store, once. */
record CellResult(Benchmark benchmark, Map<Measure, Long> measures) {

  private static final double NANOS = 1e9;

  double of(Measure measure) {
    return measures.getOrDefault(measure, 0L);
  }

  /** Operations a second of their own time. */
  double rate() {
    return of(Measure.OPERATIONS) * NANOS / of(Measure.OPERATION_NANOS);
  }

  /** Operations a second of their time and the wait after them. */
  double settledRate() {
    return of(Measure.OPERATIONS) * NANOS / (of(Measure.OPERATION_NANOS) + of(Measure.WAIT_NANOS));
  }

  /** Bytes flushed and merged for each byte accepted; the log is apart. */
  double writeAmplification() {
    return (of(Measure.FLUSHED_BYTES) + of(Measure.MERGED_BYTES)) / of(Measure.ACCEPTED_BYTES);
  }

  /** One line, read back by {@link #parse}. */
  String text() {
    StringBuilder text = new StringBuilder(benchmark.label());
    measures.forEach(
        (measure, value) ->
            text.append(' ')
                .append(measure.name().toLowerCase(Locale.ROOT))
                .append('=')
                .append(value));
    return text.toString();
  }

  static CellResult parse(String text) {
    String[] words = text.split(" ");
    Map<Measure, Long> measures = new EnumMap<>(Measure.class);
    for (int i = 1; i < words.length; i++) {
      int equals = words[i].indexOf('=');
      measures.put(
          Measure.valueOf(words[i].substring(0, equals).toUpperCase(Locale.ROOT)),
          Long.parseLong(words[i].substring(equals + 1)));
    }
    return new CellResult(Benchmark.find(words[0]).orElseThrow(), measures);
  }
}
