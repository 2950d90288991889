// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.tool.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

public class CommandProgressTest {

  private static final Pattern PLAIN =
      Pattern.compile("(?m)^[a-z-]+ +\\d+%  \\d+:\\d\\d:\\d\\d  ETA (-|\\d+:\\d\\d:\\d\\d)\\R");

  private final StringWriter err = new StringWriter();
  private long nanos;

  private CommandProgress line(boolean terminal) {
    return new CommandProgress(
        new PrintWriter(err, true), terminal, "simulate", new double[] {1, 3}, 1, () -> nanos);
  }

  /** Returns what a process wrote to its error stream, without plain lines of progress. */
  public static String withoutProgress(String err) {
    return PLAIN.matcher(err).replaceAll("");
  }

  @Test
  void shortWorkSaysNothing() {
    try (CommandProgress line = line(true)) {
      nanos = TimeUnit.SECONDS.toNanos(2) - 1;
      line.tick();
    }
    assertThat(err.toString()).isEmpty();
  }

  @Test
  void aPipeGetsAPlainLineEveryTenSeconds() {
    try (CommandProgress line = line(false)) {
      for (int second = 0; second < 30; second++) {
        nanos = TimeUnit.SECONDS.toNanos(second);
        line.part(0).at(0.8 * second / 20);
        line.tick();
      }
    }
    assertThat(err.toString().lines())
        .containsExactly(
            "simulate  10%  0:00:10  ETA 0:01:30", "simulate  20%  0:00:20  ETA 0:01:20");
    assertThat(withoutProgress(err + "fault\n")).isEqualTo("fault\n");
  }

  @Test
  void aClockThatStandsStillShowsNoProgress() {
    try (CommandProgress line = line(false)) {
      line.part(0).at(0.5);
      line.tick();
      line.part(0).at(1);
      line.tick();
    }
    assertThat(err.toString()).isEmpty();
  }

  @Test
  void aTerminalGetsABarThatIsGoneAtTheEnd() {
    try (CommandProgress line = line(true)) {
      line.part(0).at(1);
      nanos = TimeUnit.SECONDS.toNanos(1);
      line.tick();
      line.part(1).at(1.0 / 3);
      nanos = TimeUnit.SECONDS.toNanos(2);
      line.tick();
    }
    assertThat(err.toString())
        .contains("\rsimulate ████████████░░░░░░░░░░░░  50%  0:00:02  ETA 0:00:02")
        .endsWith("\r\u001b[K")
        .doesNotContain("\n");
  }
}
