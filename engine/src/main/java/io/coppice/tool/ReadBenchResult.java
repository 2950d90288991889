// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.tool;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.coppice.workload.Latencies;
import java.util.List;
import java.util.Locale;

/**
 * What came of one way to read, at one number of clients and blocks.
 *
 * @param batch blocks that a client reads at a time: one query
 * @param latencies of the queries
 * @param nanos how long all of its rounds took
 * @param deviceBytes that this process had the device read meanwhile; -1 where nobody knows
 */
record ReadBenchResult(
    String source, int clients, int batch, Latencies latencies, long nanos, long deviceBytes) {

  private static final double NANOS_A_MICRO = 1e3;
  private static final double NANOS_A_SECOND = 1e9;
  private static final int KILOBYTE = 1 << 10;

  /** The columns of a row. */
  static final List<String> HEAD =
      List.of("clients", "blocks", "reader", "p50 us", "p99 us", "queries/s", "KB/query", "times");

  double perSecond() {
    return latencies.count() * NANOS_A_SECOND / Math.max(1, nanos);
  }

  double micros(double share) {
    return latencies.nanosAt(share) / NANOS_A_MICRO;
  }

  private double kilobytes() {
    return (double) deviceBytes / KILOBYTE / Math.max(1, latencies.count());
  }

  /** How many times as many queries it answered as another. */
  double times(ReadBenchResult other) {
    return perSecond() / other.perSecond();
  }

  List<String> row(ReadBenchResult serial) {
    return List.of(
        Integer.toString(clients),
        Integer.toString(batch),
        source,
        number("%.0f", micros(0.5)),
        number("%.0f", micros(0.99)),
        number("%.0f", perSecond()),
        deviceBytes < 0 ? "-" : number("%.0f", kilobytes()),
        number("%.2f", times(serial)));
  }

  ObjectNode json(ReadBenchResult serial) {
    ObjectNode node = JsonLines.object();
    node.put("reader", source);
    node.put("clients", clients);
    node.put("blocks", batch);
    node.put("queries", latencies.count());
    node.put("p50_micros", micros(0.5));
    node.put("p99_micros", micros(0.99));
    node.put("queries_per_second", perSecond());
    if (deviceBytes >= 0) {
      node.put("device_bytes", deviceBytes);
    }
    node.put("times_faster_serial", times(serial));
    return node;
  }

  private static String number(String form, double figure) {
    return String.format(Locale.ROOT, form, figure);
  }
}
