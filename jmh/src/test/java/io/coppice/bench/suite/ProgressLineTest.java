// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.bench.suite;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.concurrent.TimeUnit;
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
}
