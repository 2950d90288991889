// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.bench.read;

import io.coppice.bench.report.DataTable;
import java.util.List;

/**
 * A way to open a data set with Coppice: a row of {@code variants.txt}.
 *
 * @param label name of the variant
 * @param temperature whether its blocks are in memory
 * @param filters whether it uses filters
 * @param reader kind of block reader, or {@code auto} for the first that works here
 */
record Variant(
    String label, Dataset dataset, Temperature temperature, boolean filters, String reader) {

  static final List<Variant> ALL = DataTable.rows(Variant.class, "variants.txt");

  /** Place of the blocks before a lookup: in memory or on the device. */
  enum Temperature {
    COLD,
    EVICTED,
    HOT
  }

  static Variant named(String label) {
    return ALL.stream().filter(variant -> variant.label.equals(label)).findFirst().orElseThrow();
  }
}
