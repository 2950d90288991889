// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.bench.read;

import java.util.Locale;

/** Variant of opening a data set of Coppice, by options that are fixed when a store opens. */
enum Variant {
  /** Past the page cache, with the first reader that works here; a small block cache. */
  DIRECT_OFF(Dataset.RUNS, Temperature.COLD, false, "auto"),
  DIRECT_ON(Dataset.RUNS, Temperature.COLD, true, "auto"),
  RING_OFF(Dataset.RUNS, Temperature.COLD, false, "ring"),
  POOL_OFF(Dataset.RUNS, Temperature.COLD, false, "pool"),
  /** Mappings; repeatedly reopened with an empty page cache. */
  MAPPED_OFF(Dataset.RUNS, Temperature.EVICTED, false, "auto"),
  MAPPED_ON(Dataset.RUNS, Temperature.EVICTED, true, "auto"),
  /** All in memory, as the defaults have it. */
  HOT_OFF(Dataset.RUNS, Temperature.HOT, false, "auto"),
  HOT_ON(Dataset.RUNS, Temperature.HOT, true, "auto"),
  HOT_FOREST(Dataset.FOREST, Temperature.HOT, true, "auto");

  /** Location of the blocks. */
  enum Temperature {
    COLD,
    EVICTED,
    HOT
  }

  private final Dataset dataset;
  private final Temperature temperature;
  private final boolean filters;
  private final String reader;

  Variant(Dataset dataset, Temperature temperature, boolean filters, String reader) {
    this.dataset = dataset;
    this.temperature = temperature;
    this.filters = filters;
    this.reader = reader;
  }

  String label() {
    return name().toLowerCase(Locale.ROOT);
  }

  Dataset dataset() {
    return dataset;
  }

  Temperature temperature() {
    return temperature;
  }

  boolean filters() {
    return filters;
  }

  String reader() {
    return reader;
  }
}
