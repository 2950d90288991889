// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.bench.read;

import io.coppice.bench.suite.DataTable;
import java.util.List;

/**
 * Variant of opening a data set of Coppice: a row of {@code variants.txt}.
 *
 * @param reader that must read the blocks, or {@code auto} for the first that works here
 */
record Variant(
    String label, Dataset dataset, Temperature temperature, boolean filters, String reader) {

  static final List<Variant> ALL = DataTable.rows(Variant.class, "variants.txt");

  /** Location of the blocks. */
  enum Temperature {
    COLD,
    EVICTED,
    HOT
  }

  static Variant named(String label) {
    return ALL.stream().filter(variant -> variant.label.equals(label)).findFirst().orElseThrow();
  }
}
