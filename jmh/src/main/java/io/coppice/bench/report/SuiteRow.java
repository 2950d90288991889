// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.bench.report;

import static io.coppice.bench.report.Texts.text;

import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;

/**
 * Comparison of one figure of Coppice with that of another store, or of another policy. A value.
 *
 * <p>Each round has a ratio, which is above 1 if Coppice is better. The median ratio is compared
 * with the goal.
 *
 * @param id stable id, never renamed once published
 * @param unit unit of both figures
 * @param ours figure of Coppice over all rounds
 * @param peer figure of the other side over all rounds
 * @param ratio ratio over all rounds
 * @param goal least ratio; NaN for none
 * @param judged basis of the verdict
 * @param ratios ratio of each round, in order
 * @param note other facts for the reader, in one line; may be empty
 */
public record SuiteRow(
    String id,
    String unit,
    RepeatSpread ours,
    RepeatSpread peer,
    RepeatSpread ratio,
    double goal,
    Judged judged,
    List<Double> ratios,
    String note) {

  /** Basis of the verdict about a row. */
  public enum Judged {
    /** The median alone decides the verdict. */
    MEDIAN,
    /** The median decides, unless the rounds differ too much. */
    STEADY,
    /** The confidence interval of the median decides, if there are enough pairs. */
    PAIRS
  }

  public SuiteRow {
    ratios = List.copyOf(ratios);
  }

  /** Goal of a row that has none. */
  public static final double NO_GOAL = Double.NaN;

  private static final double MAX_SPREAD = 0.10;
  private static final int MIN_PAIRS = 10;

  private static final double THOUSANDTHS = 1_000;

  /**
   * Returns a row about a figure that is better if it is larger.
   *
   * @param ours figure of Coppice in each round
   * @param peer figure of the other side in the same rounds
   */
  public static SuiteRow moreIsBetter(
      String id, String unit, double[] ours, double[] peer, double goal, String note) {
    return of(id, unit, ours, peer, quotients(ours, peer), goal, note);
  }

  /**
   * Returns a row about a figure that is better if it is smaller.
   *
   * @param ours figure of Coppice in each round
   * @param peer figure of the other side in the same rounds
   */
  public static SuiteRow lessIsBetter(
      String id, String unit, double[] ours, double[] peer, double goal, String note) {
    return of(id, unit, ours, peer, quotients(peer, ours), goal, note);
  }

  /** Returns a row about a figure that must not exceed {@code most} in any round. */
  public static SuiteRow bound(String id, String unit, double[] ours, double most, String note) {
    double[] worst = {Arrays.stream(ours).max().orElseThrow()};
    return lessIsBetter(id, unit, worst, new double[] {most}, 1, boundNote(ours, note));
  }

  /** Returns a row about a figure that must reach {@code least} in every round. */
  public static SuiteRow minBound(
      String id, String unit, double[] ours, double least, String note) {
    double[] worst = {Arrays.stream(ours).min().orElseThrow()};
    return moreIsBetter(id, unit, worst, new double[] {least}, 1, boundNote(ours, note));
  }

  private static String boundNote(double[] ours, String note) {
    String each =
        Arrays.stream(ours).mapToObj(one -> text("%.2f", one)).collect(Collectors.joining(", "));
    return "peer is the bound"
        + (ours.length > 1 ? "; worst of " + each : "")
        + (note.isEmpty() ? "" : "; " + note);
  }

  /**
   * Returns a row without figures: this machine is unable to measure it, or the run has left it
   * out.
   */
  public static SuiteRow notMeasured(String id, String reason) {
    RepeatSpread nothing = RepeatSpread.NOTHING;
    return new SuiteRow(
        id,
        "",
        nothing,
        nothing,
        nothing,
        NO_GOAL,
        Judged.MEDIAN,
        List.of(),
        "not measured: " + reason);
  }

  private static SuiteRow of(
      String id,
      String unit,
      double[] ours,
      double[] peer,
      double[] ratios,
      double goal,
      String note) {
    return new SuiteRow(
        id,
        unit,
        RepeatSpread.of(ours),
        RepeatSpread.of(peer),
        RepeatSpread.of(ratios),
        goal,
        Judged.MEDIAN,
        Arrays.stream(ratios).boxed().toList(),
        note);
  }

  private static double[] quotients(double[] above, double[] below) {
    if (above.length != below.length) {
      throw new IllegalArgumentException(
          above.length + " rounds of one side and " + below.length + " of the other");
    }
    double[] quotients = new double[above.length];
    for (int i = 0; i < quotients.length; i++) {
      quotients[i] = above[i] / below[i];
    }
    return quotients;
  }

  private SuiteRow with(double otherGoal, Judged other, String otherNote) {
    return new SuiteRow(id, unit, ours, peer, ratio, otherGoal, other, ratios, otherNote);
  }

  /**
   * Returns this row judged by its median. The row misses its goal if the rounds differ by more
   * than a tenth.
   */
  public SuiteRow steady() {
    return with(goal, Judged.STEADY, note);
  }

  /**
   * Returns this row judged by the {@link MedianInterval} of its ratio. The row meets its goal only
   * if the whole interval reaches the goal. With fewer than ten pairs it has no verdict.
   */
  public SuiteRow onPairs() {
    SuiteRow judgedSo = with(goal, Judged.PAIRS, note);
    String more =
        hasPairs()
            ? text("95 %% interval of the median %.2f...%.2f", interval().low(), interval().high())
            : "no verdict: a bar so near 1 wants %d pairs, there are %d"
                .formatted(MIN_PAIRS, ratios.size());
    return judgedSo.noting(more);
  }

  /**
   * Returns this row without its goal.
   *
   * @param reason reason for that, added to the note
   */
  public SuiteRow withoutGoal(String reason) {
    return with(NO_GOAL, judged, note).noting(reason);
  }

  /** Returns this row with a further remark in its note. */
  public SuiteRow noting(String more) {
    return with(goal, judged, note.isEmpty() ? more : note + "; " + more);
  }

  /** Returns whether the rounds differ too much for a verdict. */
  public boolean unstable() {
    return judged == Judged.STEADY && ratio.share() > MAX_SPREAD;
  }

  /** Returns the interval of the median ratio. */
  MedianInterval interval() {
    return MedianInterval.of(ratios.stream().mapToDouble(Double::doubleValue).toArray());
  }

  /** Returns whether the row has a goal. */
  public boolean hasGoal() {
    return !Double.isNaN(goal);
  }

  /** Returns whether a ratio, rounded to three decimals as in the file, reaches the goal. */
  private boolean reached(double by) {
    return Math.round(by * THOUSANDTHS) >= Math.round(goal * THOUSANDTHS);
  }

  private boolean hasPairs() {
    return ratios.size() >= MIN_PAIRS;
  }

  /** Returns whether the row reaches its goal with enough evidence. */
  public boolean met() {
    if (!hasGoal()) {
      return false;
    }
    return judged == Judged.PAIRS
        ? hasPairs() && reached(interval().low())
        : !unstable() && reached(ratio.median());
  }

  Boolean judgement() {
    return hasGoal() ? met() : null;
  }

  /**
   * Returns the verdict as text: met, missed or unstable with a percentage, not judged, or
   * undecided; a dash if the row has no goal.
   */
  public String verdict() {
    if (unstable()) {
      return "UNSTABLE by %.0f%%".formatted(100 * ratio.share());
    }
    if (!hasGoal()) {
      return "-";
    }
    if (met()) {
      return "met";
    }
    if (Double.isNaN(ratio.median()) || judged == Judged.PAIRS && !hasPairs()) {
      return "NOT JUDGED";
    }
    if (judged == Judged.PAIRS && reached(interval().high())) {
      return "UNDECIDED";
    }
    return "MISSED by %.0f%%".formatted(100 * (1 - ratio.median() / goal));
  }
}
