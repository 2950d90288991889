// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.bench.compare;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class ProgressTest {

  private final StringWriter text = new StringWriter();
  private long now;

  private Progress progress(boolean bar, int columns) {
    return new Progress(new PrintWriter(text, true), bar, columns, 2, () -> now);
  }

  private void pass(long seconds) {
    now += TimeUnit.SECONDS.toNanos(seconds);
  }

  @Test
  void withoutATerminalThereIsOnePlainLineEveryTenSeconds() {
    Progress progress = progress(false, 0);
    progress.begin("LCS");
    progress.phase(Progress.Phase.LOAD);
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
    Progress progress = progress(true, 200);
    progress.begin("LCS");
    progress.phase(Progress.Phase.LOAD);
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
    Progress progress = progress(true, 40);
    progress.begin("LCS");
    progress.advance(0.1, "x".repeat(100));
    progress.tick();
    String drawn = text.toString().replace("\r", "").replace("\u001b[K", "");
    assertThat(drawn).hasSize(39);
  }

  @Test
  void theEtaComesFromWhatIsDone() {
    Progress progress = progress(false, 0);
    progress.begin("STCS");
    progress.begin("LCS");
    pass(60);
    progress.tick();
    assertThat(text.toString()).contains("[2/2]", "1:00  ETA 1:00");
  }

  @Test
  void aClosedOneLeavesAnEmptyLine() {
    Progress progress = progress(true, 80);
    progress.begin("LCS");
    progress.tick();
    progress.close();
    progress.tick();
    assertThat(text.toString()).endsWith("\r\u001b[K");
  }
}
