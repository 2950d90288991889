// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.bench.papers;

import io.coppice.bench.report.LabeledConstant;

/** Agreement of a measurement with the claim of a paper. */
enum Verdict implements LabeledConstant {
  /** The measurement is within a tenth of the claim, or better. */
  AGREES,
  /** The measurement has the direction of the claim, but is smaller. */
  WEAKER,
  /** The measurement has the other direction or is far smaller. */
  CONTRADICTS,
  /** The machine could not measure the figure of the claim. */
  UNMEASURED;

  private static final double TENTH = 0.1;

  /**
   * Returns a verdict if its figure was measured, otherwise {@link #UNMEASURED}.
   *
   * @param measured the figure; NaN or infinite if it has no value
   */
  private static Verdict of(double measured, Verdict verdict) {
    return Double.isFinite(measured) ? verdict : UNMEASURED;
  }

  /**
   * Returns the verdict on a gain that should reach the claimed one.
   *
   * @param measured measured ratio; above 1 is a gain
   * @param claimed claimed ratio
   */
  static Verdict ofGain(double measured, double claimed) {
    boolean agrees = measured - 1 >= (1 - TENTH) * (claimed - 1);
    return of(measured, measured <= 1 ? CONTRADICTS : agrees ? AGREES : WEAKER);
  }

  /**
   * Returns the verdict on a figure that should equal the claimed one.
   *
   * @param within largest difference that agrees, as a share of the claimed figure; up to twice as
   *     much is {@link #WEAKER}
   */
  static Verdict ofLikeness(double measured, double claimed, double within) {
    double off = Math.abs(measured - claimed) / claimed;
    return of(measured, off <= within ? AGREES : off <= 2 * within ? WEAKER : CONTRADICTS);
  }

  /**
   * Returns the verdict on a share that should reach the claimed one. A share up to a tenth below
   * it agrees, and one up to a fifth below it is {@link #WEAKER}.
   */
  static Verdict ofLoss(double measured, double claimed) {
    return of(measured, measured >= claimed ? AGREES : ofLikeness(measured, claimed, TENTH));
  }

  /** Returns the verdict on a figure that should not exceed a bound. */
  static Verdict ofBound(double measured, double most) {
    return of(measured, measured <= most ? AGREES : CONTRADICTS);
  }

  /**
   * Returns the verdict on a claimed direction: {@link #AGREES} if it holds, otherwise {@link
   * #CONTRADICTS}.
   */
  static Verdict ofDirection(boolean holds) {
    return holds ? AGREES : CONTRADICTS;
  }

  /**
   * Returns the verdict on a figure that has the claimed direction.
   *
   * @param asClaimed whether its size is as claimed too
   */
  static Verdict ofStrength(boolean asClaimed) {
    return asClaimed ? AGREES : WEAKER;
  }

  /** Returns the worse of two verdicts; unmeasured if one of them is. */
  Verdict and(Verdict other) {
    return compareTo(other) >= 0 ? this : other;
  }
}
