// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.bench.ycsb;

import com.fasterxml.jackson.databind.JsonNode;
import io.coppice.bench.report.RecordJson;
import io.coppice.bench.suite.WrongAnswerException;
import java.io.IOException;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;

/**
 * Figures of YCSB's client for one workload.
 *
 * @param operations number of completed operations; a read-modify-write is one
 * @param seconds duration of the operations
 * @param waitSeconds time from their end until no flush or merge runs
 * @param p99Micros 99th percentile of the most frequent kind of operation, counted from its due
 *     time
 */
public record YcsbFigures(double operations, double seconds, double waitSeconds, double p99Micros) {

  /**
   * Name of the operation that YCSB also counts as a read and an update. YCSB reports no status for
   * it.
   */
  private static final String CHANGE = "READ-MODIFY-WRITE";

  /** Name of the additional count for each read of a client that compares values. */
  private static final String COMPARISON = "VERIFY";

  /**
   * Returns the operations per second, over the time of the operations and of the wait until all
   * flushes and merges have ended.
   */
  public double settledRate() {
    return operations / (seconds + waitSeconds);
  }

  /**
   * Reads the measurements that YCSB's client exported to a file.
   *
   * @param besideSeconds part of the exported time that contains no operation
   * @param waitSeconds time from the end of the operations until no flush or merge runs
   * @throws WrongAnswerException if an operation failed or returned wrong data
   */
  static YcsbFigures of(Path exported, double besideSeconds, double waitSeconds)
      throws IOException {
    double operations = 0;
    double seconds = 0;
    double most = 0;
    double p99 = 0;
    Map<String, Double> p99s = new HashMap<>();
    Map<String, Double> counts = new HashMap<>();
    for (JsonNode entry : RecordJson.read(exported)) {
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
