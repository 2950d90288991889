// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.bench.suite;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.RepetitionInfo;
import org.junit.jupiter.api.Test;

class ProgressLineTest {

  private final StringWriter drawn = new StringWriter();
  private long nanos;

  /** The last line, after so many more seconds. */
  private String after(ProgressLine progress, int seconds, String workload, double share) {
    nanos += TimeUnit.SECONDS.toNanos(seconds);
    progress.at(workload, share);
    String all = drawn.toString();
    return all.substring(all.lastIndexOf('\r') + 1);
  }

  private ProgressLine of(int cells) {
    return new ProgressLine(new PrintWriter(drawn), true, cells, cells, () -> nanos);
  }

  @Test
  void theTimeLeftCountsThePartsOfAStep() {
    ProgressLine progress = of(2);
    progress.begin("store", 2);
    assertThat(after(progress, 10, "fill", 0.5)).contains("0:10  ETA ~1:10");
    progress.partDone();
    // Half of the first of two steps is done, and nothing of its second workload.
    assertThat(after(progress, 10, "read", 0)).contains("0:20  ETA ~1:00");
    progress.finished();
    progress.begin("other");
    assertThat(after(progress, 20, "fill", 0.5)).contains("0:40  ETA ~0:13");
  }

  @Test
  void theTimeLeftGoesByWhatStepsWeighAndNotByThoseThatAreSkipped() {
    ProgressLine progress = of(3).weighing(100);
    progress.skip(60);
    progress.begin("long", 1, 30);
    // A third of what weighs 30, and then 10.
    assertThat(after(progress, 10, "fill", 1 / 3.0)).contains("[2/3]").contains("ETA ~0:30");
    progress.finished();
    progress.begin("short", 2, 10);
    assertThat(after(progress, 20, "fill", 0)).contains("[3/3]").contains("0:30  ETA ~0:10");
  }

  @Test
  void theTimeLeftIsNeverBelowZero() {
    ProgressLine progress = of(1);
    progress.begin("store");
    progress.finished();
    progress.begin("more than was counted", 1);
    assertThat(after(progress, 10, "fill", 0.5)).contains("ETA 0:00");
    progress.partDone();
    assertThat(after(progress, 10, "read", 1.5)).contains("ETA 0:00");
  }

  private static double etaSeconds(String line) {
    String[] time = line.replaceAll("(?s).*ETA ~?([0-9:]+).*", "$1").split(":");
    return 60 * Double.parseDouble(time[0]) + Double.parseDouble(time[1]);
  }

  /**
   * Processes start slowly, and then take up to 2.5 times the expected seconds, each kind at a pace
   * of its own and each process at one around it. From a fifth of the time on, the estimate is
   * within a factor of 1.5.
   */
  @RepeatedTest(20)
  void theTimeLeftFollowsThePaceOfEachKind(RepetitionInfo repetition) {
    long seed = Long.getLong("seed", 1) + repetition.getCurrentRepetition();
    Random random = new Random(seed);
    List<String> names = new ArrayList<>();
    List<double[]> secondsAndTimes = new ArrayList<>();
    Map<String, double[]> kinds = new LinkedHashMap<>();
    kinds.put("load", new double[] {4, 10, 0.5 + 2 * random.nextDouble()});
    kinds.put("cold", new double[] {1, 160, 0.9 + 0.5 * random.nextDouble()});
    kinds.put("hot", new double[] {1, 40, 0.9 + 0.3 * random.nextDouble()});
    kinds.put("side", new double[] {30, 6, 0.8 + 0.6 * random.nextDouble()});
    double start = 1 + 8 * random.nextDouble();
    ProgressLine progress = of(36);
    double all = 0;
    for (Map.Entry<String, double[]> kind : kinds.entrySet()) {
      double[] shape = kind.getValue();
      for (int i = 0; i < shape[0]; i++) {
        double seconds = shape[1] * (0.5 + random.nextDouble());
        double time = seconds * shape[2] * (0.8 + 0.4 * random.nextDouble());
        progress.expect(kind.getKey(), seconds);
        names.add(kind.getKey());
        double starts = start * (0.7 + 0.6 * random.nextDouble());
        secondsAndTimes.add(new double[] {seconds, time, starts});
        all += time + starts;
      }
    }
    double passed = 0;
    for (int step = 0; step < names.size(); step++) {
      progress.begin("step " + step, names.get(step), secondsAndTimes.get(step)[0]);
      double time = secondsAndTimes.get(step)[1];
      nanos += (long) (secondsAndTimes.get(step)[2] * 1e9);
      passed += secondsAndTimes.get(step)[2];
      progress.at("warm-up", 0.0);
      for (double at = 1; at < time; at++) {
        // Within a step, the pace falls.
        String line = after(progress, 1, "reads", Math.pow(at / time, 0.9));
        double left = all - passed - at;
        if (passed + at >= all / 5) {
          assertThat(etaSeconds(line))
              .as("-Dseed=%d: %.0f s left of %.0f s, %s", seed, left, all, line)
              .isBetween(left / 1.5 - 3, left * 1.5 + 3);
        }
      }
      nanos += (long) ((time - Math.ceil(time) + 1) * 1e9);
      progress.finished();
      passed += time;
    }
  }
}
