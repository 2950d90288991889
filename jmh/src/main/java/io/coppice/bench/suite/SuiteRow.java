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
 * @param note what else a reader must know, in one line; may be empty
 */
public record SuiteRow(
    String id, String unit, Spread ours, Spread peer, Spread ratio, double goal, String note) {

  /** What is measured without a bar. */
  public static final double NO_GOAL = Double.NaN;

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
    return new SuiteRow(id, "", nothing, nothing, nothing, NO_GOAL, "not measured: " + reason);
  }

  private static SuiteRow of(
      String id,
      String unit,
      double[] ours,
      double[] peer,
      double[] ratios,
      double goal,
      String note) {
    return new SuiteRow(id, unit, Spread.of(ours), Spread.of(peer), Spread.of(ratios), goal, note);
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

  /** True if there is a bar. */
  public boolean hasGoal() {
    return !Double.isNaN(goal);
  }

  /** True if the bar is reached, as the ratio is printed in the file: to three decimals. */
  public boolean met() {
    return hasGoal() && Math.round(ratio.median() * THOUSANDTHS) >= Math.round(goal * THOUSANDTHS);
  }

  /** For people: met, by how much missed, or a dash. */
  public String verdict() {
    if (!hasGoal()) {
      return "-";
    }
    return met() ? "met" : "MISSED by %.0f%%".formatted(100 * (1 - ratio.median() / goal));
  }
}
