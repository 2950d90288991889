// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.tool;

import com.fasterxml.jackson.databind.node.ObjectNode;
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

  double micros(double share) {
    return tally.latencies.nanosAt(share) / NANOS_PER_MICRO;
  }

  private double aQuery(long amount) {
    return (double) amount / Math.max(1, tally.latencies.count());
  }

  /** Returns the ratio of its query rate to that of another. */
  double times(ReadBenchResult other) {
    return perSecond() / other.perSecond();
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
    row.add(number("%.0f", micros(0.5)));
    row.add(number("%.0f", micros(0.99)));
    row.add(number("%.0f", perSecond()));
    if (ofSchemes) {
      row.add(number("%.1f", aQuery(tally.blocks)));
    }
    row.add(tally.deviceBytes < 0 ? "-" : number("%.0f", aQuery(tally.deviceBytes) / KILOBYTE));
    row.add(number("%.2f", times(serial)));
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
    node.put("p50_micros", micros(0.5));
    node.put("p99_micros", micros(0.99));
    node.put("queries_per_second", perSecond());
    if (tally.deviceBytes >= 0) {
      node.put("device_bytes", tally.deviceBytes);
    }
    node.put("times_faster_serial", times(serial));
    return node;
  }

  private static String number(String form, double figure) {
    return String.format(Locale.ROOT, form, figure);
  }
}
