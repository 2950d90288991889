// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.bench.papers;

import static io.coppice.bench.report.Texts.text;

import io.coppice.bench.report.DataTable;
import io.coppice.bench.report.LabeledConstant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * An experiment of a paper: a row of {@code experiments.txt}. Its texts are formats for the figures
 * that {@link #found} receives.
 *
 * @param id stable name, never renamed
 * @param trials ids of the trials that it needs
 * @param claimed figure that the paper claims; NaN for none
 * @param set text about the setup
 * @param claim text about the claim of the paper
 * @param predicted text about the simulator's prediction
 * @param measured text about the measurement
 * @param reason text that explains the verdict
 */
record Experiment(
    String id,
    Paper paper,
    List<String> trials,
    double claimed,
    String set,
    String claim,
    String predicted,
    String measured,
    String reason) {

  /** All experiments, in the order of the report. */
  static final List<Experiment> ALL = DataTable.rows(Experiment.class, "experiments.txt");

  /**
   * Ids of the experiments that need rows of the suite {@code read}, rows of YCSB, or killed
   * merges.
   */
  static final List<String> OF_READS = List.of("S-4", "S-5", "S-6", "S-7");

  static final List<String> OF_RECORDS = List.of("S-8");
  static final List<String> OF_MERGES = List.of("S-9", "S-9-pause");

  private static final String BETWEEN = "\n";
  private static final Map<String, Judge> JUDGES = new HashMap<>(Dcompaction.JUDGES);

  static {
    JUDGES.put("G-1", Grouped::groups);
    JUDGES.putAll(LeveledTiered.JUDGES);
    JUDGES.putAll(SifrDb.JUDGES);
  }

  /** The papers whose claims the experiments test. */
  enum Paper implements LabeledConstant {
    /** Pan, Yue, Xiong: dCompaction, JCST 2017. */
    DCOMPACTION,
    /** Zhang, Xu, Li, Li, ICPADS 2016. */
    GROUPED,
    /** Livernoche, leveled and tiered compaction. */
    LEVELED_TIERED,
    /** Lu and others: SifrDB, IEEE TPDS 2020. */
    SIFRDB;
  }

  /** Function that computes the figures and the verdict of an experiment. */
  interface Judge {
    Finding finding(Experiment experiment, Evidence evidence);
  }

  /** Returns the report's row about this experiment. */
  Finding finding(Evidence evidence) {
    return JUDGES.get(id).finding(this, evidence);
  }

  /**
   * Returns the report's row with these figures.
   *
   * @param ours figure of the policy that the paper proposes
   * @param peer figure of the policy that it is compared with
   * @param figures figures for the texts, in their order
   */
  Finding found(double ours, double peer, Verdict verdict, Object... figures) {
    String format = String.join(BETWEEN, set, claim, predicted, measured, reason);
    String[] texts = text(format, figures).split(BETWEEN, -1);
    return new Finding(id, texts[0], texts[1], texts[2], ours, peer, texts[3], verdict, texts[4]);
  }
}
