// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.bench.engine;

import java.util.List;
import java.util.function.ToDoubleFunction;

/**
 * One figure of the table.
 *
 * @param id end of the row's id in the report; never renamed
 * @param better direction of improvement; a ratio above 1 always favors our side; null for a
 *     neutral fact
 * @param value value; not a number if the store does not report it
 */
record Figure(
    String id, String label, int decimals, Better better, ToDoubleFunction<CellResult> value) {

  /** Which way is better. */
  enum Better {
    HIGHER,
    LOWER
  }

  private static final double MEBI = 1 << 20;

  private static final List<Figure> WRITES =
      List.of(
          new Figure("settled_rate", "settled op/s", 0, Better.HIGHER, CellResult::settledRate),
          new Figure("rate", "op/s", 0, Better.HIGHER, CellResult::rate),
          latency("p99_us", "p99 us", Measure.P99_NANOS),
          latency("p999_us", "p99.9 us", Measure.P999_NANOS),
          latency("max_us", "longest us", Measure.MAX_NANOS),
          new Figure("wait_s", "wait s", 2, null, cell -> cell.of(Measure.WAIT_NANOS) / 1e9),
          new Figure("wa", "write amplification", 2, Better.LOWER, Figure::toldWriteAmplification),
          new Figure(
              "wa_device", "the same at the device", 2, null, CellResult::deviceAmplification),
          new Figure("flushes", "flushes", 0, null, cell -> told(cell, Measure.FLUSHES)),
          new Figure(
              "delayed_percent",
              "delayed %",
              1,
              null,
              cell -> 100 * told(cell, Measure.DELAYED_NANOS) / cell.of(Measure.OPERATION_NANOS)),
          new Figure(
              "peak_disk_mib",
              "peak disk MiB",
              0,
              null,
              cell -> cell.of(Measure.PEAK_DISK_BYTES) / MEBI));

  private static final List<Figure> READS =
      List.of(
          new Figure("rate", "op/s", 0, Better.HIGHER, CellResult::rate),
          latency("p50_us", "p50 us", Measure.P50_NANOS),
          latency("p99_us", "p99 us", Measure.P99_NANOS),
          latency("p999_us", "p99.9 us", Measure.P999_NANOS),
          new Figure("runs", "sorted runs", 0, null, cell -> told(cell, Measure.SORTED_RUNS)));

  private static final List<Figure> MIXES =
      List.of(
          new Figure("rate", "op/s", 0, Better.HIGHER, CellResult::rate),
          latency("p50_us", "read p50 us", Measure.P50_NANOS),
          latency("p99_us", "read p99 us", Measure.P99_NANOS),
          latency("p999_us", "read p99.9 us", Measure.P999_NANOS),
          latency("write_p99_us", "write p99 us", Measure.WRITE_P99_NANOS),
          new Figure("writes", "writes", 0, null, cell -> cell.of(Measure.WRITES)));

  private static final List<Figure> SCANS =
      List.of(new Figure("rate", "entries/s", 0, Better.HIGHER, CellResult::rate));

  private static final List<Figure> WORK =
      List.of(
          new Figure(
              "seconds",
              "seconds",
              2,
              Better.LOWER,
              cell -> cell.of(Measure.OPERATION_NANOS) / 1e9),
          new Figure(
              "written_mib",
              "written MiB",
              0,
              Better.LOWER,
              cell -> told(cell, Measure.MERGED_BYTES) / MEBI));

  private static final List<Figure> COSTS =
      List.of(
          new Figure(
              "processor_s",
              "processor s",
              1,
              Better.LOWER,
              cell -> cell.of(Measure.PROCESSOR_NANOS) / 1e9),
          new Figure(
              "tables_mib", "tables MiB", 0, null, cell -> cell.of(Measure.TABLE_BYTES) / MEBI),
          new Figure(
              "peak_resident_mib",
              "peak resident MiB",
              0,
              null,
              cell -> cell.of(Measure.PEAK_RESIDENT_BYTES) / MEBI));

  /** Returns a measure; not a number if the store does not report it. */
  private static double told(CellResult cell, Measure measure) {
    return cell.has(measure) ? cell.of(measure) : Double.NaN;
  }

  private static double toldWriteAmplification(CellResult cell) {
    return cell.has(Measure.FLUSHED_BYTES) ? cell.writeAmplification() : Double.NaN;
  }

  private static Figure latency(String id, String label, Measure measure) {
    return new Figure(id, label, 1, Better.LOWER, cell -> cell.of(measure) / 1e3);
  }

  /** The lines for a workload. */
  static List<Figure> of(Benchmark benchmark) {
    List<Figure> figures =
        new java.util.ArrayList<>(
            switch (benchmark) {
              case FILLSEQ,
                  FILLRANDOM,
                  FILLUNIQUERANDOM,
                  FILLSYNC,
                  FILLBATCH,
                  OVERWRITE,
                  WRITEOPENLOOP,
                  DELETERANDOM ->
                  WRITES;
              case READRANDOM, READMISSING, READHOT, SEEKRANDOM -> READS;
              case READSEQ, READREVERSE -> SCANS;
              case READWHILEWRITING, READRANDOMWRITERANDOM -> MIXES;
              case COMPACT, SWITCHPOLICY -> WORK;
            });
    figures.addAll(COSTS);
    return figures;
  }

  /**
   * Returns the ratio of our side to the peer, above 1 if our side is better; not a number for a
   * neutral fact.
   */
  double ratio(CellResult ours, CellResult peer) {
    if (better == null) {
      return Double.NaN;
    }
    double mine = value.applyAsDouble(ours);
    double other = value.applyAsDouble(peer);
    return better == Better.HIGHER ? mine / other : other / mine;
  }
}
