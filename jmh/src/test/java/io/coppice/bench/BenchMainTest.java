// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.bench;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.PrintWriter;
import java.io.StringWriter;
import org.junit.jupiter.api.Test;

class BenchMainTest {

  private final StringWriter out = new StringWriter();
  private final StringWriter err = new StringWriter();

  private int run(String... args) {
    return BenchMain.run(args, new PrintWriter(out, true), new PrintWriter(err, true));
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
    assertThat(code).isEqualTo(BenchExitCode.USAGE);
    assertThat(err.toString())
        .contains("unknown option --sclae; nearest is --scale")
        .contains("--scale (smal) must be one of tiny, first, small, large; nearest is small")
        .contains("--repeats (0) must be a whole number from 1 to 20")
        .contains("--strategies (lsc)")
        .contains("nearest is lcs")
        .contains("--seed (x)")
        .contains("Nothing was started");
  }

  @Test
  void anUnknownCommandIsWrongUsage() {
    assertThat(run("comapre")).isEqualTo(BenchExitCode.USAGE);
    assertThat(err.toString()).contains("compare");
  }

  @Test
  void aMicrobenchmarkOrOptionThatJmhDoesNotKnowIsWrongUsage() {
    assertThat(run("jmh", "Planing")).isEqualTo(BenchExitCode.USAGE);
    assertThat(err.toString()).contains("No benchmark has a name like [Planing]");
    assertThat(run("jmh", "--forks=2")).isEqualTo(BenchExitCode.USAGE);
  }

  @Test
  void whatSpaceAndRecoveryDoNotUnderstandIsNamedAtOnce() {
    int code = run("space", "--data=10", "--loads=random", "--thresholds=1,2000", "--value_size=1");
    assertThat(code).isEqualTo(BenchExitCode.USAGE);
    assertThat(err.toString())
        .contains("--data (10) must be in")
        .contains("--loads (random) must be permutation or overwrite")
        .contains("cleaning_threshold (2000) must be in 0..1000")
        .contains("--value_size (1) must be in 16..1048576")
        .contains("Nothing was started");
    assertThat(run("recovery", "--logs=1GB", "--tables=0B,x")).isEqualTo(BenchExitCode.USAGE);
    assertThat(err.toString())
        .contains("--logs (1GB) must be a size such as 64MiB")
        .contains("--tables (x)");
  }

  @Test
  void whatASuiteDoesNotUnderstandIsNamedAtOnce() {
    assertThat(run("bench", "--suite=raed")).isEqualTo(BenchExitCode.USAGE);
    assertThat(err.toString()).contains("--suite (raed) must be").contains("nearest is read");
    assertThat(run("bench", "--suite=quick", "--num=5")).isEqualTo(BenchExitCode.USAGE);
    assertThat(err.toString()).contains("--num is no option of this suite");
    assertThat(run("bench", "--suite=ycsb", "--without-ycsb")).isEqualTo(BenchExitCode.USAGE);
    assertThat(err.toString()).contains("--without-ycsb leaves nothing of --suite=ycsb");
    assertThat(run("bench", "--suite=quick", "--only=dleays,open-loop-rocksdb"))
        .isEqualTo(BenchExitCode.USAGE);
    assertThat(err.toString())
        .contains("--only (dleays) must be one of main, ")
        .contains("nearest is delays")
        .contains("--only (open-loop-rocksdb) goes by the rate of main; name both");
    assertThat(run("bench", "--suite=ycsb", "--only=main")).isEqualTo(BenchExitCode.USAGE);
    assertThat(err.toString()).contains("leave it away with ycsb");
    assertThat(run("bench", "--paper=grouped", "--scale=smal", "--only=G-2"))
        .isEqualTo(BenchExitCode.USAGE);
    assertThat(err.toString())
        .contains("--scale (smal) must be one of")
        .contains("--only (G-2)")
        .contains("nearest is G-1");
    assertThat(run("bench", "--paper=grouped", "--suite=full")).isEqualTo(BenchExitCode.USAGE);
    assertThat(err.toString()).contains("--suite and --paper are runs of their own");
    assertThat(run("bench", "--suite=read", "--num=5", "--scale=tyni"))
        .isEqualTo(BenchExitCode.USAGE);
    assertThat(err.toString())
        .contains("--num is no option of a suite")
        .contains("--scale (tyni)")
        .contains("nearest is tiny");
    assertThat(run("bench", "--scale=tiny")).isEqualTo(BenchExitCode.USAGE);
    assertThat(err.toString())
        .contains("--scale is of a suite; give --suite, too, or leave it out");
  }

  @Test
  void whatAClusterCannotBeIsNamedAtOnce() {
    int code =
        run(
            "cluster",
            "up",
            "--nodes=2",
            "--heap=16",
            "--without-jar=1,3",
            "--cql-port=80",
            "--nods=1");
    assertThat(code).isEqualTo(BenchExitCode.USAGE);
    assertThat(err.toString())
        .contains("unknown option --nods=1; nearest is --nodes")
        .contains("--heap (16) must be a whole number from 200 to")
        .contains("--without-jar (3) must be a whole number from 1 to 2")
        .contains("--cql-port (80)")
        .contains("Nothing was started");
    assertThat(run("cluster")).isEqualTo(BenchExitCode.USAGE);
    assertThat(err.toString()).contains("cluster up");
    assertThat(run("cluster", "up", "--help")).isZero();
    assertThat(out.toString())
        .contains("--nodes", "--dir", "--heap", "--without-jar", "--keep", "130 interrupted");
  }

  @Test
  void noCommandIsWrongUsage() {
    assertThat(run()).isEqualTo(BenchExitCode.USAGE);
  }

  @Test
  void aJavaHomeWithoutJava17IsTheEnvironmentsFault() {
    assertThat(run("compare", "--java-home=/nowhere")).isEqualTo(BenchExitCode.ENVIRONMENT);
    assertThat(err.toString()).contains("/nowhere").contains("17");
  }
}
