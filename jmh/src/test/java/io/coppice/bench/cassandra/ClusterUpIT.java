// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.bench.cassandra;

import static org.assertj.core.api.Assertions.assertThat;

import io.coppice.bench.JavaProcess;
import io.coppice.bench.suite.BenchExitCode;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestMethodOrder;
import org.junit.jupiter.api.io.TempDir;

/** Runs {@code cluster up} of the packaged jar as a person does, and what it says to run. */
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
class ClusterUpIT {

  @TempDir static Path directory;

  private static final Pattern CQL = Pattern.compile("CQL (127\\.0\\.0\\.1:\\d+)");

  private static Process cluster;
  private static BufferedReader output;
  private static final List<String> LINES = new ArrayList<>();

  @BeforeAll
  static void startACluster() throws IOException {
    cluster = up("--nodes=1", "--heap=256", "--cql-port=" + ReplicatedTable.firstPort());
    output =
        new BufferedReader(new InputStreamReader(cluster.getInputStream(), StandardCharsets.UTF_8));
    String line = "";
    while (line != null && !line.startsWith("Ctrl-C ends")) {
      line = output.readLine();
      LINES.add(String.valueOf(line));
    }
  }

  @AfterAll
  static void end() {
    cluster.destroy();
  }

  private static Process up(String... options) throws IOException {
    return JavaProcess.ofJar(directory, "cluster up", options);
  }

  @Test
  @Order(1)
  void itSaysWhereItIsAndTheNodetoolItNamesWorks() throws IOException {
    assertThat(String.join("\n", LINES))
        .contains(
            "coppice cluster · Cassandra %s · one node of 256 MiB"
                .formatted(System.getProperty("coppice.cassandra.version")))
        .contains("node 1 of 1 serves after", "The cluster is up.")
        .contains("preflight --jmx=127.0.0.1:");
    String line = LINES.stream().filter(one -> one.endsWith(" status")).findFirst().orElseThrow();
    Process process =
        new ProcessBuilder(List.of(line.strip().split(" "))).redirectErrorStream(true).start();
    String status = JavaProcess.text(process);
    assertThat(status).containsPattern("UN\\s+127\\.0\\.0\\.1 ");
  }

  @Test
  @Order(2)
  void theRealCqlshDescribesRefusesAndReadsOurTables() throws Exception {
    Cqlsh cqlsh = cqlsh();
    String described =
        run(
            cqlsh,
            "CREATE KEYSPACE ks WITH replication = {'class': 'SimpleStrategy',"
                + " 'replication_factor': 1};"
                + " CREATE TABLE ks.t (pk int PRIMARY KEY, v text) WITH compaction = {'class':"
                + " 'io.coppice.cassandra.SplitForestCompactionStrategy', 'table_size': '1MiB'};"
                + " INSERT INTO ks.t (pk, v) VALUES (1, 'one');"
                + " DESCRIBE TABLE ks.t; SELECT * FROM ks.t;");
    assertThat(described)
        .contains("'class': 'io.coppice.cassandra.SplitForestCompactionStrategy'")
        .contains("'table_size': '1MiB'")
        .contains("1 | one");
    JavaProcess.Printed refused =
        cqlsh.run(
            address(),
            "CREATE TABLE ks.wrong (pk int PRIMARY KEY) WITH compaction = {'class':"
                + " 'io.coppice.cassandra.SplitForestCompactionStrategy', 'fan_out': '4',"
                + " 'table_size': '64KiB'}");
    assertThat(refused.code()).as(refused.text()).isNotZero();
    assertThat(refused.text())
        .contains("'fan_out' is not understood; did you mean 'fanout'?")
        .contains("table_size (64KiB) must be in 1MiB..10GiB");
    String seen =
        run(
            cqlsh,
            "SELECT * FROM coppice.amplification; SELECT * FROM coppice.levels;"
                + " SELECT * FROM coppice.runs; SELECT * FROM coppice.decisions;");
    assertThat(seen)
        .contains("write", "sstables_per_read", "split-forest,")
        .contains("compacting_bytes", "left_token", "reason_code");
  }

  private static String address() {
    Matcher address = CQL.matcher(String.join("\n", LINES));
    assertThat(address.find()).isTrue();
    return address.group(1);
  }

  private static String run(Cqlsh cqlsh, String statements) throws Exception {
    JavaProcess.Printed printed = cqlsh.run(address(), statements);
    assertThat(printed.code()).as(printed.text()).isZero();
    return printed.text();
  }

  private static Cqlsh cqlsh() throws Exception {
    try {
      return Cqlsh.install(Path.of(System.getProperty("coppice.target")).resolve("cqlsh"));
    } catch (Cqlsh.MissingException e) {
      System.out.println("SKIPPED ClusterUpIT, cqlsh: " + e.getMessage());
      Assumptions.abort(e.getMessage());
      throw new AssertionError("not aborted");
    }
  }

  @Test
  @Order(3)
  void anInterruptRemovesItAll() throws Exception {
    List<ProcessHandle> nodes = cluster.children().toList();
    assertThat(nodes).hasSize(1);
    cluster.toHandle().destroy();
    for (String line = output.readLine(); line != null; line = output.readLine()) {
      LINES.add(line);
    }
    String text = String.join("\n", LINES);
    assertThat(cluster.waitFor()).as(text).isNotZero();
    assertThat(text)
        .contains("Interrupted: the nodes were ended, their files removed.")
        .doesNotContain("xception");
    assertThat(nodes).noneMatch(ProcessHandle::isAlive);
    assertThat(directory.resolve("target/cluster")).doesNotExist();
  }

  @Test
  @Order(4)
  void aDirectoryWithFilesIsLeftAlone() throws Exception {
    Path file = Files.writeString(directory.resolve("precious.txt"), "mine");
    Process process = up("--dir=" + directory);
    String text = JavaProcess.text(process);
    assertThat(process.waitFor()).as(text).isEqualTo(BenchExitCode.ENVIRONMENT);
    assertThat(text).contains("is not empty", "--dir", "Nothing was started");
    assertThat(file).hasContent("mine");
  }
}
