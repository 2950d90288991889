// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.bench.compare.report;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.Arrays;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

class ComparisonProgressTest {

  /** Two runs of 100 s, the load half of each. */
  private static final Estimate ESTIMATE =
      new Estimate(
          Arrays.stream(ComparisonProgress.Phase.values())
              .collect(
                  Collectors.toMap(
                      Function.identity(),
                      phase -> phase == ComparisonProgress.Phase.LOAD ? 50.0 : 6.25)),
          2);

  private final StringWriter text = new StringWriter();
  private long now;

  private ComparisonProgress progress(boolean bar, int columns) {
    return new ComparisonProgress(new PrintWriter(text, true), bar, columns, ESTIMATE, () -> now);
  }

  private void pass(long seconds) {
    now += TimeUnit.SECONDS.toNanos(seconds);
  }

  @Test
  void withoutATerminalThereIsOnePlainLineEveryTenSeconds() {
    ComparisonProgress progress = progress(false, 0);
    progress.begin("LCS");
    progress.phase(ComparisonProgress.Phase.LOAD);
    progress.advance(0.5, "20.0/40 flushes  4.1 MB/s");
    for (int second = 0; second < 29; second++) {
      pass(1);
      progress.tick();
    }
    assertThat(text.toString().lines()).hasSize(2);
    assertThat(text.toString())
        .contains("[1/2] LCS", "load", "50%", "4.1 MB/s", "0:10", "ETA ~")
        .doesNotContain("\r", "\u001b", "█");
  }

  @Test
  void onATerminalOneLineIsDrawnOverAndOver() {
    ComparisonProgress progress = progress(true, 200);
    progress.begin("LCS");
    progress.phase(ComparisonProgress.Phase.LOAD);
    progress.advance(0.62, "24.8/40 flushes");
    pass(1);
    progress.tick();
    pass(1);
    progress.tick();
    assertThat(text.toString().split("\r", -1)).hasSize(3);
    assertThat(text.toString()).contains("█████████░░░░░░", "62%").doesNotContain("\n");
  }

  @Test
  void aLineIsNeverWiderThanTheTerminal() {
    ComparisonProgress progress = progress(true, 40);
    progress.begin("LCS");
    progress.advance(0.1, "x".repeat(100));
    progress.tick();
    String drawn = text.toString().replace("\r", "").replace("\u001b[K", "");
    assertThat(drawn).hasSize(39);
  }

  @Test
  void theEtaStartsFromTheEstimateAndFollowsThePaceOfThisMachine() {
    ComparisonProgress progress = progress(false, 0);
    progress.begin("STCS");
    pass(10);
    progress.tick();
    assertThat(text.toString()).contains("[1/2]", "0:10  ETA ~5:00");
    progress.begin("LCS");
    pass(210);
    progress.tick();
    assertThat(text.toString()).as("240 s for 120").contains("[2/2]", "3:40  ETA 3:20");
  }

  @Test
  void aClosedOneLeavesAnEmptyLine() {
    ComparisonProgress progress = progress(true, 80);
    progress.begin("LCS");
    progress.tick();
    progress.close();
    progress.tick();
    assertThat(text.toString()).endsWith("\r\u001b[K");
  }
}
