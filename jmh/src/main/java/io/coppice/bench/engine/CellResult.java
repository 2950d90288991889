// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.bench.engine;

import io.coppice.bench.store.Benchmark;
import io.coppice.bench.store.Measure;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * Measurements of one workload on one store, called a <em>cell</em>; measures that the store does
 * not report are missing.
 */
public record CellResult(Benchmark benchmark, Map<Measure, Long> measures) {

  private static final double NANOS = 1e9;

  public CellResult {
    measures = measures.isEmpty() ? Map.of() : new EnumMap<>(measures);
  }

  /** Returns the value of a measure, or 0 if it was not measured. */
  public double of(Measure measure) {
    return measures.getOrDefault(measure, 0L);
  }

  /** Returns the operations per second, over the time of the operations alone. */
  public double rate() {
    return of(Measure.OPERATIONS) * NANOS / of(Measure.OPERATION_NANOS);
  }

  /**
   * Returns the operations per second, over the time of the operations and of the wait until all
   * flushes and merges have ended.
   */
  public double settledRate() {
    return of(Measure.OPERATIONS) * NANOS / (of(Measure.OPERATION_NANOS) + of(Measure.WAIT_NANOS));
  }

  /** Returns the bytes flushed and merged per accepted byte, excluding the log. */
  public double writeAmplification() {
    return (of(Measure.FLUSHED_BYTES) + of(Measure.MERGED_BYTES)) / of(Measure.ACCEPTED_BYTES);
  }

  /** Returns whether the store reported a measure. */
  public boolean has(Measure measure) {
    return measures.containsKey(measure);
  }

  /** Returns the bytes flushed and merged per flushed byte; infinite or NaN without flushes. */
  public double flushAmplification() {
    return (of(Measure.FLUSHED_BYTES) + of(Measure.MERGED_BYTES)) / of(Measure.FLUSHED_BYTES);
  }

  /**
   * Returns a figure by its expression: {@code rate}, {@code settled_rate}, {@code wa} or {@code
   * wa_flushed}, or else {@code [number*]measures[/measures or number]}, where measures are names
   * joined by plus signs. A sum whose first measure is missing is not a number; further missing
   * measures count as 0. {@code wa} is bytes flushed and merged per accepted byte, {@code
   * wa_flushed} per flushed byte.
   *
   * @throws IllegalArgumentException if a name is no {@link Measure} or a number is malformed
   */
  public double figure(String expression) {
    return switch (expression) {
      case "rate" -> rate();
      case "settled_rate" -> settledRate();
      case "wa" -> sum("flushed_bytes+merged_bytes") / sum("accepted_bytes");
      case "wa_flushed" -> flushAmplification();
      default -> {
        String[] parts = expression.split("/");
        int times = parts[0].indexOf('*');
        double factor = times < 0 ? 1 : Double.parseDouble(parts[0].substring(0, times));
        yield factor * sum(parts[0].substring(times + 1)) / (parts.length == 1 ? 1 : sum(parts[1]));
      }
    };
  }

  private double sum(String terms) {
    if (Character.isDigit(terms.charAt(0))) {
      return Double.parseDouble(terms);
    }
    List<Measure> measures =
        Arrays.stream(terms.split("\\+"))
            .map(term -> Measure.valueOf(term.toUpperCase(Locale.ROOT)))
            .toList();
    return has(measures.get(0)) ? measures.stream().mapToDouble(this::of).sum() : Double.NaN;
  }
}
