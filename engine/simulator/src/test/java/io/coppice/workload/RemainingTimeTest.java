// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.workload;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Random;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.RepetitionInfo;
import org.junit.jupiter.api.Test;

/** The estimate on a scripted clock, for work that is uneven in ways that a seed decides. */
class RemainingTimeTest {

  /** Fixed, because the factor holds for nearly all draws, not for each. */
  private static final long SEED = Long.getLong("seed", 1);

  private static final double FROM = 0.2;
  private static final double FACTOR = 1.5;
  private static final double TICK_SECONDS = 0.25;

  /** At the end, single uneven steps make a larger factor of a few seconds. */
  private static final double SLACK = 0.03;

  private static final double SLACK_SECONDS = 2;

  /**
   * The times at which one part reaches its shares: a trend to slower or faster, and steps of
   * uneven length.
   */
  private static double[] curve(Random random, double seconds, double trend, double noise) {
    int steps = 200;
    double[] times = new double[steps + 1];
    for (int i = 1; i <= steps; i++) {
      double step = Math.pow((double) i / steps, trend) - Math.pow((i - 1.0) / steps, trend);
      times[i] = times[i - 1] + step * (1 + noise * (2 * random.nextDouble() - 1));
    }
    double all = times[steps];
    for (int i = 0; i <= steps; i++) {
      times[i] *= seconds / all;
    }
    return times;
  }

  private static double share(double[] curve, double time) {
    int step = 0;
    while (step < curve.length - 1 && curve[step + 1] <= time) {
      step++;
    }
    return time <= 0 ? 0 : (double) step / (curve.length - 1);
  }

  /** Plays parts on workers and checks each estimate from a fifth of the whole time on. */
  private static void play(double[] weights, double[][] curves, int workers, String what) {
    double[] start = new double[curves.length];
    double[] free = new double[workers];
    double end = 0;
    for (int i = 0; i < curves.length; i++) {
      int first = 0;
      for (int j = 1; j < workers; j++) {
        first = free[j] < free[first] ? j : first;
      }
      start[i] = free[first];
      free[first] += curves[i][curves[i].length - 1];
      end = Math.max(end, free[first]);
    }
    RemainingTime estimate = new RemainingTime(weights, workers);
    for (double time = 0; time < end; time += TICK_SECONDS) {
      double[] shares = new double[curves.length];
      for (int i = 0; i < curves.length; i++) {
        shares[i] = share(curves[i], time - start[i]);
      }
      estimate.note(1 + (long) (time * 1e9), shares);
      double left = end - time;
      if (time >= FROM * end) {
        double slack = SLACK_SECONDS + SLACK * end;
        assertThat(estimate.seconds())
            .as("-Dseed=%d %s: at %.0f s of %.0f s", SEED, what, time, end)
            .isBetween(left / FACTOR - slack, left * FACTOR + slack);
      }
    }
  }

  /** Verify, repair and checkpoint: one part, files of uneven size and speed, a slight trend. */
  @RepeatedTest(20)
  void oneUnevenPart(RepetitionInfo repetition) {
    Random random = new Random(SEED + repetition.getCurrentRepetition());
    double trend = 0.85 + 0.35 * random.nextDouble();
    double seconds = 30 + 300 * random.nextDouble();
    double[][] curves = {curve(random, seconds, trend, 0.8)};
    play(new double[] {1}, curves, 1, "trend " + trend);
  }

  /** Simulate: parts of different cost for their weight, two at a time, each becoming slower. */
  @RepeatedTest(20)
  void policiesTwoAtATime(RepetitionInfo repetition) {
    Random random = new Random(SEED + repetition.getCurrentRepetition());
    int parts = 1 + random.nextInt(5);
    double[] weights = new double[parts];
    double[][] curves = new double[parts][];
    for (int i = 0; i < parts; i++) {
      weights[i] = 100;
      double seconds = 60 * (0.85 + 0.3 * random.nextDouble());
      curves[i] = curve(random, seconds, 0.9 + 0.3 * random.nextDouble(), 0.8);
    }
    play(weights, curves, 2, parts + " parts");
  }

  /** Simulate beside a forest: a part that takes eight times as long as expected. */
  @Test
  void aSlowPartIsJudgedByItself() {
    Random random = new Random(SEED);
    double[][] curves = {curve(random, 10, 1, 0.4), curve(random, 80, 1, 0.4)};
    play(new double[] {1, 1}, curves, 2, "a slow part beside a fast one");
  }

  /** A plain proportion is wrong by more than the factor where parts run two at a time. */
  @Test
  void theNumberOfWorkersCounts() {
    Random random = new Random(1);
    double[][] curves = new double[3][];
    for (int i = 0; i < 3; i++) {
      curves[i] = curve(random, 60, 1, 0);
    }
    play(new double[] {1, 1, 1}, curves, 2, "three equal parts");
  }

  @Test
  void nothingIsKnownAtFirst() {
    RemainingTime estimate = new RemainingTime(new double[] {1}, 1);
    assertThat(estimate.seconds()).isNaN();
    estimate.note(5, new double[] {0.005});
    assertThat(estimate.seconds()).isNaN();
    estimate.note(5, new double[] {1});
    assertThat(estimate.seconds()).isZero();
  }
}
