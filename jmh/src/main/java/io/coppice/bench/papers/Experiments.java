// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.bench.papers;

import java.util.List;
import java.util.stream.Stream;

/** All experiments, in the order of the papers. */
final class Experiments {

  static final List<Experiment> ALL =
      Stream.of(
              Dcompaction.experiments(),
              Grouped.experiments(),
              LeveledTiered.experiments(),
              SifrDb.experiments())
          .flatMap(List::stream)
          .toList();

  /** Experiments that need rows of the suite of reads, of YCSB, or killed merges. */
  static final List<String> OF_READS = List.of("S-4", "S-5", "S-6", "S-7");

  static final List<String> OF_RECORDS = List.of("S-8");
  static final List<String> OF_MERGES = List.of("S-9", "S-9-pause");

  private Experiments() {}
}
