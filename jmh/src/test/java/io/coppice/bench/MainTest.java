// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.bench;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.PrintWriter;
import java.io.StringWriter;
import org.junit.jupiter.api.Test;

class MainTest {

  private final StringWriter out = new StringWriter();
  private final StringWriter err = new StringWriter();

  private int run(String... args) {
    return Main.run(args, new PrintWriter(out, true), new PrintWriter(err, true));
  }

  @Test
  void helpNamesEveryOption() {
    assertThat(run("compare", "--help")).isZero();
    assertThat(out.toString())
        .contains("--scale", "--strategies", "--repeats", "--seed", "--keep", "--java-home")
        .contains("tiny", "130 interrupted");
  }

  @Test
  void everyWrongOptionIsNamedAtOnceWithTheNearest() {
    int code =
        run(
            "compare",
            "--sclae=tiny",
            "--scale=smal",
            "--repeats=0",
            "--strategies=stcs,lsc",
            "--seed=x");
    assertThat(code).isEqualTo(ExitCode.USAGE);
    assertThat(err.toString())
        .contains("unknown option --sclae; nearest is --scale")
        .contains("--scale (smal) must be one of tiny, small, large; nearest is small")
        .contains("--repeats (0) must be a whole number from 1 to 20")
        .contains("--strategies (lsc)")
        .contains("nearest is lcs")
        .contains("--seed (x)")
        .contains("Nothing was started");
  }

  @Test
  void anUnknownCommandIsWrongUsage() {
    assertThat(run("comapre")).isEqualTo(ExitCode.USAGE);
    assertThat(err.toString()).contains("compare");
  }

  @Test
  void aMicrobenchmarkOrOptionThatJmhDoesNotKnowIsWrongUsage() {
    assertThat(run("jmh", "Planing")).isEqualTo(ExitCode.USAGE);
    assertThat(err.toString()).contains("No benchmark has a name like [Planing]");
    assertThat(run("jmh", "--forks=2")).isEqualTo(ExitCode.USAGE);
  }

  @Test
  void noCommandIsWrongUsage() {
    assertThat(run()).isEqualTo(ExitCode.USAGE);
  }

  @Test
  void aJavaHomeWithoutJava17IsTheEnvironmentsFault() {
    assertThat(run("compare", "--java-home=/nowhere")).isEqualTo(ExitCode.ENVIRONMENT);
    assertThat(err.toString()).contains("/nowhere").contains("17");
  }
}
