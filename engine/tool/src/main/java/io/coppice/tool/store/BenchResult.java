// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.tool.store;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.coppice.StoreStats;
import io.coppice.tool.cli.ByteText;
import io.coppice.tool.format.JsonLines;
import io.coppice.workload.LatencyHistogram;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * The result of one benchmark.
 *
 * @param latencies of the operations of all threads
 * @param elapsedNanos from the start of the first thread to the end of the last
 * @param bytes bytes of keys and values read or written by these threads
 * @param found operations that found their key; -1 if none looks for one
 * @param besides number of writes of one additional thread; -1 without that thread
 * @param before statistics of the store at the begin
 * @param after statistics of the store at the end
 */
record BenchResult(
    BenchWord word,
    BenchLoad load,
    LatencyHistogram latencies,
    long elapsedNanos,
    long bytes,
    long found,
    long besides,
    StoreStats before,
    StoreStats after) {

  private static final double NANOS_PER_MICRO = 1e3;
  private static final double NANOS_PER_SECOND = 1e9;
  private static final double MEGABYTE = 1 << 20;

  private double seconds() {
    return Math.max(1, elapsedNanos) / NANOS_PER_SECOND;
  }

  private double microsAnOperation() {
    return latencies.count() == 0
        ? Double.NaN
        : latencies.sumNanos() / NANOS_PER_MICRO / latencies.count();
  }

  /**
   * Returns a percentile of the latencies in microseconds; NaN without operations.
   *
   * @param share the percentile as a fraction, from 0 to 1
   */
  private double micros(double share) {
    return latencies.count() == 0 ? Double.NaN : latencies.nanosAt(share) / NANOS_PER_MICRO;
  }

  private long stalls() {
    return after.stalls() - before.stalls();
  }

  private double stalledMicros() {
    return (after.stalledNanos() - before.stalledNanos()) / NANOS_PER_MICRO;
  }

  private long flushedBytes() {
    return after.flushedBytes() - before.flushedBytes();
  }

  private long mergedBytes() {
    return after.mergedBytes() - before.mergedBytes();
  }

  /** Returns the bytes flushed and merged per byte flushed; NaN if nothing was flushed. */
  private double writeAmplification() {
    return flushedBytes() == 0
        ? Double.NaN
        : (double) (flushedBytes() + mergedBytes()) / flushedBytes();
  }

  /**
   * Returns the line of db_bench, followed by the details that db_bench prints with more options.
   */
  List<String> lines() {
    List<String> lines = new ArrayList<>();
    if (latencies.count() == 0) {
      lines.add(
          String.format(
              Locale.ROOT, "%-16s : no operation in %.3f seconds", word.label(), seconds()));
      return lines;
    }
    StringBuilder first = new StringBuilder();
    first.append(
        String.format(
            Locale.ROOT,
            "%-16s : %11.3f micros/op %.0f ops/sec %.3f seconds %d operations;",
            word.label(),
            microsAnOperation(),
            latencies.count() / seconds(),
            seconds(),
            latencies.count()));
    if (bytes > 0) {
      first.append(String.format(Locale.ROOT, " %6.1f MB/s", bytes / MEGABYTE / seconds()));
    }
    if (found >= 0) {
      first.append(" (" + found + " of " + latencies.count() + " found)");
    }
    if (besides >= 0) {
      first.append(" (" + besides + " writes beside)");
    }
    lines.add(first.toString());
    if (!word.whole()) {
      lines.add(
          String.format(
              Locale.ROOT,
              "    micros  p50 %.2f  p95 %.2f  p99 %.2f  p99.9 %.2f  max %.2f",
              micros(0.5),
              micros(0.95),
              micros(0.99),
              micros(0.999),
              micros(1)));
    }
    if (stalls() > 0) {
      lines.add(
          String.format(
              Locale.ROOT, "    stalls  %d, %.1f ms", stalls(), stalledMicros() / NANOS_PER_MICRO));
    }
    if (flushedBytes() + mergedBytes() > 0) {
      String times =
          flushedBytes() == 0
              ? ""
              : String.format(Locale.ROOT, ": write amplification %.2f", writeAmplification());
      lines.add(
          "    tables  "
              + ByteText.format(flushedBytes())
              + " flushed, "
              + ByteText.format(mergedBytes())
              + " merged"
              + times);
    }
    return lines;
  }

  /** Returns the result as JSON. */
  ObjectNode json() {
    ObjectNode node = JsonLines.object();
    node.put("benchmark", word.label());
    node.put("threads", load.threads());
    node.put("operations", latencies.count());
    node.put("seconds", seconds());
    JsonLines.put(node, "micros_per_operation", microsAnOperation());
    node.put("operations_per_second", latencies.count() / seconds());
    node.put("bytes", bytes);
    if (found >= 0) {
      node.put("found", found);
    }
    if (besides >= 0) {
      node.put("writes_beside", besides);
    }
    JsonLines.put(node, "p50_micros", micros(0.5));
    JsonLines.put(node, "p95_micros", micros(0.95));
    JsonLines.put(node, "p99_micros", micros(0.99));
    JsonLines.put(node, "p999_micros", micros(0.999));
    JsonLines.put(node, "max_micros", micros(1));
    node.put("stalls", stalls());
    node.put("stalled_micros", stalledMicros());
    node.put("flushed_bytes", flushedBytes());
    node.put("merged_bytes", mergedBytes());
    JsonLines.put(node, "write_amplification", writeAmplification());
    return node;
  }
}
