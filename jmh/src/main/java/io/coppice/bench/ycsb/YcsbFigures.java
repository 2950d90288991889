// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.bench.ycsb;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.coppice.bench.suite.WrongAnswerException;
import java.io.IOException;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;

/**
 * What YCSB's client says of one workload.
 *
 * @param operations done; a record that is read, changed and written is one
 * @param seconds that they took
 * @param waitSeconds until the store was at rest after them
 * @param p99Micros of its most frequent kind of operation, from the intended start
 */
public record YcsbFigures(double operations, double seconds, double waitSeconds, double p99Micros) {

  /** The client counts such an operation's read and its update besides, and gives it no status. */
  private static final String CHANGE = "READ-MODIFY-WRITE";

  /** What a client that compares values counts beside each read. */
  private static final String COMPARISON = "VERIFY";

  /** Operations a second of their time and the wait after them. */
  public double settledRate() {
    return operations / (seconds + waitSeconds);
  }

  /**
   * Reads what the client exported.
   *
   * @param besideSeconds of the time that it tells were no operations
   * @throws WrongAnswerException if an operation did not answer as it had to
   */
  static YcsbFigures of(Path exported, double besideSeconds, double waitSeconds)
      throws IOException {
    double operations = 0;
    double seconds = 0;
    double most = 0;
    double p99 = 0;
    Map<String, Double> p99s = new HashMap<>();
    Map<String, Double> counts = new HashMap<>();
    for (JsonNode entry : new ObjectMapper().readTree(exported.toFile())) {
      String metric = entry.get("metric").asText();
      String measurement = entry.get("measurement").asText();
      double value = entry.get("value").asDouble();
      if (metric.equals("OVERALL") && measurement.startsWith("RunTime")) {
        seconds = value / 1e3 - besideSeconds;
      } else if (measurement.startsWith("Return=") && !measurement.equals("Return=OK")) {
        throw new WrongAnswerException(metric + " answered " + measurement + " " + value);
      } else if (measurement.equals("Return=OK") && !metric.equals(COMPARISON)) {
        counts.put(metric, value);
      } else if (metric.equals(CHANGE) && measurement.equals("Operations")) {
        operations -= value;
      } else if (measurement.startsWith("99thPercentile")) {
        p99s.put(metric, value);
      }
    }
    for (Map.Entry<String, Double> count : counts.entrySet()) {
      operations += count.getValue();
      if (count.getValue() > most) {
        most = count.getValue();
        p99 =
            p99s.getOrDefault("Intended-" + count.getKey(), p99s.getOrDefault(count.getKey(), 0.0));
      }
    }
    return new YcsbFigures(operations, seconds, waitSeconds, p99);
  }
}
