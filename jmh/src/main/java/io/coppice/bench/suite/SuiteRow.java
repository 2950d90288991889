// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.bench.suite;

/**
 * One figure of ours beside another. A value.
 *
 * <p>The ratio is taken in each round and written so that above 1 ours is better; its median
 * decides over the goal.
 *
 * @param id never renamed once published
 * @param unit of both figures
 * @param ratio of each round
 * @param goal the least ratio wanted; not a number if there is none
 * @param mostSpread the widest range of the ratio, as a share of its median, with which the row
 *     still counts; not a number if any does
 * @param note what else a reader must know, in one line; may be empty
 */
public record SuiteRow(
    String id,
    String unit,
    Spread ours,
    Spread peer,
    Spread ratio,
    double goal,
    double mostSpread,
    String note) {

  /** What is measured without a bar. */
  public static final double NO_GOAL = Double.NaN;

  private static final double MOST_SPREAD = 0.10;

  private static final double THOUSANDTHS = 1_000;

  /**
   * A row of which more is better.
   *
   * @param ours of each round
   * @param peer of the same rounds
   */
  public static SuiteRow moreIsBetter(
      String id, String unit, double[] ours, double[] peer, double goal, String note) {
    return of(id, unit, ours, peer, quotients(ours, peer), goal, note);
  }

  /** A row of which less is better. */
  public static SuiteRow lessIsBetter(
      String id, String unit, double[] ours, double[] peer, double goal, String note) {
    return of(id, unit, ours, peer, quotients(peer, ours), goal, note);
  }

  /** A row that this machine cannot measure. */
  public static SuiteRow notMeasured(String id, String reason) {
    Spread nothing = new Spread(Double.NaN, Double.NaN, Double.NaN);
    return new SuiteRow(
        id, "", nothing, nothing, nothing, NO_GOAL, Double.NaN, "not measured: " + reason);
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
        id, unit, Spread.of(ours), Spread.of(peer), Spread.of(ratios), goal, Double.NaN, note);
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

  /** The same, missed whatever its median if the rounds differ by more than a tenth. */
  public SuiteRow steady() {
    return new SuiteRow(id, unit, ours, peer, ratio, goal, MOST_SPREAD, note);
  }

  /** The same without a bar, and with a reason. */
  public SuiteRow withoutGoal(String reason) {
    return new SuiteRow(id, unit, ours, peer, ratio, NO_GOAL, mostSpread, note).noting(reason);
  }

  /** The same with more to know. */
  public SuiteRow noting(String more) {
    return new SuiteRow(
        id, unit, ours, peer, ratio, goal, mostSpread, note.isEmpty() ? more : note + "; " + more);
  }

  /** True if the rounds differ too much to say anything. */
  public boolean unstable() {
    return ratio.share() > mostSpread;
  }

  /** True if there is a bar. */
  public boolean hasGoal() {
    return !Double.isNaN(goal);
  }

  /**
   * True if the bar is reached, as the ratio is printed in the file, to three decimals, and the row
   * is not unstable.
   */
  public boolean met() {
    return hasGoal()
        && !unstable()
        && Math.round(ratio.median() * THOUSANDTHS) >= Math.round(goal * THOUSANDTHS);
  }

  /** For people: met, by how much missed, or a dash. */
  public String verdict() {
    if (unstable()) {
      return "UNSTABLE by %.0f%%".formatted(100 * ratio.share());
    }
    if (!hasGoal()) {
      return "-";
    }
    return met() ? "met" : "MISSED by %.0f%%".formatted(100 * (1 - ratio.median() / goal));
  }
}
