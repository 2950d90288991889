// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.bench.papers;

import io.coppice.bench.suite.DataTable;
import java.util.Map;

/**
 * Sizes of the experiments: tiny is for tests, quick shows the directions, standard is judged, and
 * paper has the papers' sizes.
 *
 * @param records of 256 bytes
 * @param entries of 116 bytes
 * @param keys of 1 KiB
 * @param operations of a mix on these keys
 * @param seconds of each phase of reads
 * @param kills of merges
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
