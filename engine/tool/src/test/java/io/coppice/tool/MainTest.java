// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.tool;

import static org.assertj.core.api.Assertions.assertThat;

import io.coppice.tool.cli.CommandOptions;
import io.coppice.tool.cli.CommandOutput;
import io.coppice.tool.cli.ExitCode;
import io.coppice.tool.simulate.SimulateOptions;
import java.io.EOFException;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.io.Writer;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileSystemException;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
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
  void whyAFileFailsIsSaid() {
    assertThat(said(new AccessDeniedException("data")))
        .isEqualTo("data: permission denied; check the owner and the mode of the file");
    assertThat(said(new NoSuchFileException("data")))
        .isEqualTo("data: no such file or directory; check the path");
    assertThat(said(new NotDirectoryException("data"))).isEqualTo("data: NotDirectoryException");
    assertThat(said(new FileSystemException("data", null, "Is a directory")))
        .isEqualTo("data: Is a directory");
    assertThat(said(new EOFException())).isEqualTo("EOFException");
    assertThat(said(new UncheckedIOException(new AccessDeniedException("data"))))
        .isEqualTo("data: permission denied; check the owner and the mode of the file");
    assertThat(said(new UncheckedIOException("cannot verify", new AccessDeniedException("data"))))
        .isEqualTo(
            "cannot verify: data: permission denied; check the owner and the mode of the file");
    assertThat(said(new UncheckedIOException("no backup: x", new AccessDeniedException("x"))))
        .isEqualTo("no backup: x: permission denied; check the owner and the mode of the file");
    assertThat(said(new UncheckedIOException("output: full", new IOException("full"))))
        .isEqualTo("output: full");
  }

  private static String said(Exception failure) {
    StringWriter err = new StringWriter();
    CommandOutput streams =
        new CommandOutput(new PrintWriter(Writer.nullWriter()), new PrintWriter(err, true));
    assertThat(streams.explain(failure, "coppice-tool")).isEqualTo(ExitCode.FAILED);
    return err.toString().strip();
  }

  @Test
  void helpNamesEveryOption() {
    ToolRun run = ToolRun.of("simulate", "--help");
    assertThat(run.code()).isEqualTo(ExitCode.DONE);
    for (CommandOptions.Help option : SimulateOptions.HELP) {
      assertThat(run.out()).contains(option.name() + (option.label().isEmpty() ? " " : "="));
    }
  }
}
