// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.bench;

import static org.assertj.core.api.Assertions.assertThat;

import io.coppice.bench.suite.BenchExitCode;
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

  /** Runs a command that is wrong usage; its errors must name what is wrong. */
  private void refused(String command, String... words) {
    assertThat(run(command.split(" "))).as(command).isEqualTo(BenchExitCode.USAGE);
    assertThat(err.toString()).contains(words);
  }

  @Test
  void everyWrongOptionIsNamedAtOnceWithTheNearest() {
    refused(
        "compare --sclae=tiny --scale=smal --repeats=0 --strategies=stcs,lsc --seed=x",
        "unknown option --sclae; nearest is --scale",
        "--scale (smal) must be one of tiny, first, small, large; nearest is small",
        "--repeats (0) must be a whole number from 1 to 20",
        "--strategies (lsc)",
        "nearest is lcs",
        "--seed (x)",
        "Nothing was started");
  }

  @Test
  void anUnknownCommandIsWrongUsage() {
    refused("comapre", "compare");
  }

  @Test
  void aMicrobenchmarkOrOptionThatJmhDoesNotKnowIsWrongUsage() {
    refused("jmh Planing", "No benchmark has a name like [Planing]");
    refused("jmh --forks=2", "forks");
  }

  @Test
  void whatSpaceRecoveryAndDeletionsDoNotUnderstandIsNamedAtOnce() {
    refused(
        "space --data=10 --loads=random --thresholds=1,2000 --value-size=1",
        "--data (10) must be in",
        "--loads (random) must be permutation or overwrite",
        "cleaning_threshold (2000) must be in 0..1000",
        "--value-size (1) must be in 16..1048576",
        "Nothing was started");
    refused(
        "recovery --logs=1GB --tables=0B,x",
        "--logs (1GB) must be a size such as 64MiB",
        "--tables (x)");
    refused(
        "deletions --strategies=lsc --deleted=100 --by=rows",
        "--strategies (lsc)",
        "nearest is lcs",
        "--deleted (100) must be a whole number from 0 to 99",
        "--by (rows) must be partition or row");
  }

  @Test
  void whatASuiteDoesNotUnderstandIsNamedAtOnce() {
    refused("bench --suite=raed", "--suite (raed) must be", "nearest is read");
    refused("bench --suite=quick --num=5", "--num is no option of this suite");
    refused("bench --suite=ycsb --without-ycsb", "--without-ycsb leaves nothing of --suite=ycsb");
    refused(
        "bench --suite=quick --only=dleays,open-loop-rocksdb",
        "--only (dleays) must be one of main, ",
        "nearest is delays",
        "--only (open-loop-rocksdb) goes by the rate of main; name both");
    refused("bench --suite=ycsb --only=main", "leave it away with ycsb");
    refused(
        "bench --paper=grouped --scale=smal --only=G-2",
        "--scale (smal) must be one of",
        "--only (G-2)",
        "nearest is G-1");
    refused("bench --paper=grouped --suite=full", "--suite and --paper are runs of their own");
    refused(
        "bench --suite=read --num=5 --scale=tyni",
        "--num is no option of a suite",
        "--scale (tyni)",
        "nearest is tiny");
    refused("bench --scale=tiny", "--scale is of a suite; give --suite, too, or leave it out");
  }

  @Test
  void whatAClusterCannotBeIsNamedAtOnce() {
    refused(
        "cluster up --nodes=2 --heap=16 --without-jar=1,3 --cql-port=80 --nods=1",
        "unknown option --nods=1; nearest is --nodes",
        "--heap (16) must be a whole number from 200 to",
        "--without-jar (3) must be a whole number from 1 to 2",
        "--cql-port (80)",
        "Nothing was started");
    refused("cluster", "cluster up");
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
