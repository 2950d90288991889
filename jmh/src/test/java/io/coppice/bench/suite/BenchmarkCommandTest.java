// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.bench.suite;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.PrintWriter;
import java.io.StringWriter;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine;
import picocli.CommandLine.Command;

class BenchmarkCommandTest {

  /** Command with the options of {@code compare} that fails in one way. */
  @Command(name = "compare")
  private static final class Failing extends BenchmarkCommand {

    private final RunFailedException failure;

    Failing(RunFailedException failure) {
      this.failure = failure;
    }

    @Override
    protected int run(OptionReader reader) throws RunFailedException {
      throw failure;
    }
  }

  @ParameterizedTest
  @ValueSource(
      ints = {BenchExitCode.WRONG_ANSWERS, BenchExitCode.INCOMPLETE, BenchExitCode.ENVIRONMENT})
  void aFailedRunEndsWithTheCodeOfItsFailure(int code) {
    StringWriter err = new StringWriter();
    Failing command = new Failing(new RunFailedException("the key 7 is lost", code, null));
    int exit = new CommandLine(command).setErr(new PrintWriter(err, true)).execute();
    assertThat(exit).isEqualTo(code);
    assertThat(err.toString()).startsWith("the key 7 is lost");
  }
}
