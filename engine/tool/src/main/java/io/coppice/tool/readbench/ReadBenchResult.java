// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.tool.readbench;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.coppice.tool.format.JsonLines;
import io.coppice.workload.TextTable;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** The result of one way to read for one load. */
record ReadBenchResult(ReadBenchCell cell, BlockSource source, ReadBenchTally tally) {

  private static final double NANOS_PER_MICRO = 1e3;
  private static final double NANOS_PER_SECOND = 1e9;
  private static final int KILOBYTE = 1 << 10;

  /**
   * Returns the column heads.
   *
   * @param ofSchemes whether search schemes are measured, instead of readers alone
   */
  static List<String> head(boolean ofSchemes) {
    return ofSchemes
        ? List.of(
            "clients",
            "blocks",
            "key",
            "scheme",
            "reader",
            "p50 us",
            "p99 us",
            "queries/s",
            "blocks/query",
            "KB/query",
            "times")
        : List.of(
            "clients", "blocks", "reader", "p50 us", "p99 us", "queries/s", "KB/query", "times");
  }

  double perSecond() {
    return tally.latencies.count() * NANOS_PER_SECOND / Math.max(1, tally.nanos);
  }

  /**
   * Returns a percentile of the latencies in microseconds; NaN without queries.
   *
   * @param share the percentile as a fraction, from 0 to 1
   */
  double micros(double share) {
    return isEmpty() ? Double.NaN : tally.latencies.nanosAt(share) / NANOS_PER_MICRO;
  }

  private boolean isEmpty() {
    return tally.latencies.count() == 0;
  }

  /**
   * Returns a count divided by the number of queries; NaN without queries or if the count is
   * negative, which means unknown.
   */
  private double perQuery(long amount) {
    return isEmpty() || amount < 0 ? Double.NaN : (double) amount / tally.latencies.count();
  }

  /**
   * Returns the query rate of this result divided by that of another; NaN if either has no queries.
   */
  double times(ReadBenchResult other) {
    return isEmpty() || other.isEmpty() ? Double.NaN : perSecond() / other.perSecond();
  }

  private String key() {
    return cell.hits() ? "hit" : "miss";
  }

  private String scheme() {
    return source.scheme().name().toLowerCase(Locale.ROOT).replace('_', '-');
  }

  List<String> row(ReadBenchResult serial, boolean ofSchemes) {
    List<String> row = new ArrayList<>();
    row.add(Integer.toString(cell.clients()));
    row.add(Integer.toString(cell.batch()));
    if (ofSchemes) {
      row.add(key());
      row.add(scheme());
    }
    row.add(source.name());
    row.add(TextTable.number("%.0f", micros(0.5)));
    row.add(TextTable.number("%.0f", micros(0.99)));
    row.add(TextTable.number("%.0f", perSecond()));
    if (ofSchemes) {
      row.add(TextTable.number("%.1f", perQuery(tally.blocks)));
    }
    row.add(TextTable.number("%.0f", perQuery(tally.deviceBytes) / KILOBYTE));
    row.add(TextTable.number("%.2f", times(serial)));
    return row;
  }

  ObjectNode json(ReadBenchResult serial, boolean ofSchemes) {
    ObjectNode node = JsonLines.object();
    node.put("reader", source.name());
    if (ofSchemes) {
      node.put("scheme", scheme());
      node.put("key", key());
      node.put("blocks_asked", tally.blocks);
    }
    node.put("clients", cell.clients());
    node.put("blocks", cell.batch());
    node.put("queries", tally.latencies.count());
    JsonLines.put(node, "p50_micros", micros(0.5));
    JsonLines.put(node, "p99_micros", micros(0.99));
    JsonLines.put(node, "queries_per_second", perSecond());
    JsonLines.count(node, "device_bytes", tally.deviceBytes);
    JsonLines.put(node, "times_faster_serial", times(serial));
    return node;
  }
}
