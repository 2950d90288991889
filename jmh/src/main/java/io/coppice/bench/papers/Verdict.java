// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.bench.papers;

import java.util.Locale;

/** How what was measured stands to what a paper claims. */
enum Verdict {
  /** As much as claimed, or within a tenth of it, or more. */
  AGREES,
  /** The same direction, but less. */
  WEAKER,
  /** The other direction, or by far less. */
  CONTRADICTS,
  /** None: this machine could not measure what it would be judged by. */
  UNMEASURED;

  private static final double TENTH = 0.1;

  /** Of a gain, as a ratio above 1, beside the one that is claimed. */
  static Verdict ofGain(double measured, double claimed) {
    if (measured <= 1) {
      return CONTRADICTS;
    }
    return measured - 1 >= (1 - TENTH) * (claimed - 1) ? AGREES : WEAKER;
  }

  /** Of figures that should be alike, within a share of the claimed one. */
  static Verdict ofLikeness(double measured, double claimed, double within) {
    double off = Math.abs(measured - claimed) / claimed;
    if (off <= within) {
      return AGREES;
    }
    return off <= 2 * within ? WEAKER : CONTRADICTS;
  }

  /** Of a share that should be no lower than the claimed one, by a tenth of it at most. */
  static Verdict ofLoss(double measured, double claimed) {
    return measured >= claimed ? AGREES : ofLikeness(measured, claimed, TENTH);
  }

  /** Of a figure that may not exceed a bound. */
  static Verdict ofBound(double measured, double most) {
    return measured <= most ? AGREES : CONTRADICTS;
  }

  /** Of a direction that is claimed without a figure. */
  static Verdict ofDirection(boolean holds) {
    return holds ? AGREES : CONTRADICTS;
  }

  /** The worse of two; none if one of them is none. */
  Verdict and(Verdict other) {
    return compareTo(other) >= 0 ? this : other;
  }

  String label() {
    return name().toLowerCase(Locale.ROOT);
  }
}
