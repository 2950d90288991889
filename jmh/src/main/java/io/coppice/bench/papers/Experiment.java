// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.bench.papers;

import java.util.List;
import java.util.function.Function;

/**
 * An experiment of a paper.
 *
 * @param id never renamed
 * @param paper paper of the experiment
 * @param trials that must have been measured, by id
 * @param finding computes the row from the measurements
 */
record Experiment(
    String id, Paper paper, List<String> trials, Function<Evidence, Finding> finding) {

  /** Papers with experiments. */
  enum Paper {
    /** Pan, Yue, Xiong: dCompaction, JCST 2017. */
    DCOMPACTION("dcompaction"),
    /** Zhang, Xu, Li, Li, ICPADS 2016. */
    GROUPED("grouped"),
    /** Livernoche, leveled and tiered compaction. */
    LEVELED_TIERED("leveled-tiered"),
    /** Lu and others: SifrDB, IEEE TPDS 2020. */
    SIFRDB("sifrdb");

    private final String label;

    Paper(String label) {
      this.label = label;
    }

    String label() {
      return label;
    }
  }
}
