// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.bench.peers;

import io.coppice.bench.engine.BenchOptions;
import io.coppice.bench.engine.Benchmark;
import io.coppice.bench.engine.CellResult;
import io.coppice.bench.engine.Child;
import io.coppice.bench.engine.Measure;
import io.coppice.bench.engine.TrialResults;
import io.coppice.bench.engine.Trials;
import io.coppice.bench.suite.Machine;
import io.coppice.workload.BenchmarkKeys;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * A line for each cell, with the columns of RocksDB's {@code benchmark.sh} in their order, followed
 * by columns of Coppice. Unknown figures are NA.
 */
public final class Summary {

  private static final String NOTHING = "NA";
  private static final double GIB = 1 << 30;
  private static final double MIB = 1 << 20;
  private static final double NANOS = 1e9;
  private static final double MICRO = 1e3;

  /** The columns, by name. */
  static final List<String> COLUMNS =
      List.of(
          ("ops_sec mb_sec lsm_sz blob_sz c_wgb w_amp c_mbps c_wsecs c_csecs b_rgb b_wgb usec_op p50"
                  + " p99 p99.9 p99.99 pmax uptime stall% Nstall u_cpu s_cpu rss test date version"
                  + " job_id githash trial store round settled_ops_sec wait_s wa_dev flushes"
                  + " sa_peak sa_steady tables_read gc_n gc_ms")
              .split(" "));

  private Summary() {}

  /** Returns the file's text. */
  public static String text(TrialResults measured, Machine machine) {
    List<String> lines = new ArrayList<>(List.of(String.join("\t", COLUMNS)));
    for (String key : measured.keys()) {
      String[] words = key.split(" ");
      List<Child.Outcome> rounds = measured.rounds(words[0], Trials.store(words[1]));
      for (int round = 0; round < rounds.size(); round++) {
        for (CellResult cell : rounds.get(round).results()) {
          lines.add(
              String.join(
                  "\t",
                  line(
                      cell,
                      measured.options(words[0]),
                      words,
                      round + 1,
                      rounds.get(round).store(),
                      machine)));
        }
      }
    }
    return String.join("\n", lines) + "\n";
  }

  private static List<String> line(
      CellResult cell,
      BenchOptions options,
      String[] words,
      int round,
      String description,
      Machine machine) {
    List<String> line = new ArrayList<>();
    double seconds = (cell.of(Measure.OPERATION_NANOS) + cell.of(Measure.WAIT_NANOS)) / NANOS;
    double operations = cell.of(Measure.OPERATIONS);
    double merged = cell.of(Measure.MERGED_BYTES);
    boolean tells = cell.has(Measure.FLUSHED_BYTES);
    line.add(number(cell.rate(), 0));
    line.add(number(cell.rate() * (BenchmarkKeys.BYTES + options.valueBytes()) / MIB, 1));
    line.add(number(cell.of(Measure.TABLE_BYTES) / GIB, 3) + "GB");
    line.add("0GB");
    line.add(tells ? number((cell.of(Measure.FLUSHED_BYTES) + merged) / GIB, 3) : NOTHING);
    boolean amplified = tells && cell.of(Measure.ACCEPTED_BYTES) > 0;
    line.add(amplified ? number(cell.writeAmplification(), 2) : NOTHING);
    line.add(tells ? number(merged / MIB / seconds, 1) : NOTHING);
    // Seconds that merges took, and their processor time; bytes of blob files.
    line.addAll(List.of(NOTHING, NOTHING, "0", "0"));
    line.add(number(cell.of(Measure.OPERATION_NANOS) / MICRO / operations, 3));
    for (Measure measure :
        List.of(
            Measure.P50_NANOS,
            Measure.P99_NANOS,
            Measure.P999_NANOS,
            Measure.P9999_NANOS,
            Measure.MAX_NANOS)) {
      line.add(cell.has(measure) ? number(cell.of(measure) / MICRO, 1) : NOTHING);
    }
    line.add(number(seconds, 1));
    line.add(
        cell.has(Measure.DELAYED_NANOS)
            ? number(100 * cell.of(Measure.DELAYED_NANOS) / cell.of(Measure.OPERATION_NANOS), 1)
            : NOTHING);
    // How often it stalled; the processor's time in the system.
    line.add(NOTHING);
    line.add(number(cell.of(Measure.PROCESSOR_NANOS) / NANOS, 1));
    line.add(NOTHING);
    line.add(number(cell.of(Measure.PEAK_RESIDENT_BYTES) / GIB, 3));
    line.add(test(cell.benchmark(), options));
    line.add(LocalDate.now(ZoneOffset.UTC).toString());
    line.add(description.replace('\t', ' '));
    line.addAll(List.of("-", machine.commit(), words[0], words[1], Integer.toString(round)));
    line.add(number(cell.settledRate(), 0));
    line.add(number(cell.of(Measure.WAIT_NANOS) / NANOS, 2));
    boolean accepted = cell.of(Measure.ACCEPTED_BYTES) > 0;
    line.add(accepted ? number(cell.deviceAmplification(), 2) : NOTHING);
    line.add(cell.has(Measure.FLUSHES) ? number(cell.of(Measure.FLUSHES), 0) : NOTHING);
    double live = cell.of(Measure.LIVE_BYTES);
    line.add(number(cell.of(Measure.PEAK_DISK_BYTES) / live, 3));
    line.add(number(cell.of(Measure.DISK_BYTES) / live, 3));
    line.add(
        cell.of(Measure.LOOKUPS) > 0
            ? number(cell.of(Measure.TABLES_ASKED) / cell.of(Measure.LOOKUPS), 3)
            : NOTHING);
    line.add(number(cell.of(Measure.GC_COUNT), 0));
    line.add(number(cell.of(Measure.GC_MILLIS), 0));
    return line;
  }

  private static String test(Benchmark benchmark, BenchOptions options) {
    return benchmark.label() + ".t" + options.traffic().threads();
  }

  private static String number(double value, int decimals) {
    return Double.isFinite(value)
        ? String.format(Locale.ROOT, "%." + decimals + "f", value)
        : NOTHING;
  }
}
