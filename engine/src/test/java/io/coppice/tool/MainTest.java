// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.tool;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class MainTest {

  @Test
  void withoutACommandItHelps() {
    ToolRun run = ToolRun.of();
    assertThat(run.code()).isEqualTo(ExitCode.DONE);
    assertThat(run.out()).contains("Usage: coppice-tool", "simulate", "replay", "Exit codes: 0");
    assertThat(run.err()).isEmpty();
  }

  @Test
  void itSaysItsVersion() {
    assertThat(ToolRun.of("--version").out()).startsWith("coppice-tool ");
  }

  @Test
  void anUnknownCommandIsWrongUsage() {
    ToolRun run = ToolRun.of("simlate");
    assertThat(run.code()).isEqualTo(ExitCode.USAGE);
    assertThat(run.out()).isEmpty();
    assertThat(run.err()).contains("simulate");
  }

  @Test
  void helpNamesEveryOption() {
    ToolRun run = ToolRun.of("simulate", "--help");
    assertThat(run.code()).isEqualTo(ExitCode.DONE);
    for (CommandOptions.Help option : SimulateOptions.HELP) {
      assertThat(run.out()).contains(option.name() + "=");
    }
  }
}
