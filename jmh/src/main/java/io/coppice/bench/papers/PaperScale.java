// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.bench.papers;

import io.coppice.bench.report.DataTable;
import java.util.Map;

/**
 * Sizes of the experiments: {@code tiny} is for tests, {@code quick} shows the directions, {@code
 * standard} is judged, and {@code paper} has the papers' sizes.
 *
 * @param records number of entries of 256 bytes
 * @param entries number of entries of 116 bytes
 * @param keys number of entries of 1 KiB
 * @param operations number of operations of a mixed workload on these keys
 * @param seconds duration of each phase of reads
 * @param kills number of killed merges
 */
record PaperScale(
    String label,
    int records,
    int entries,
    long memtableBytes,
    int keys,
    int operations,
    double seconds,
    int kills,
    int ycsbRecords) {

  static final Map<String, PaperScale> ALL = DataTable.columns(PaperScale.class, "scales.txt");
  static final String DEFAULT = "quick";
}
