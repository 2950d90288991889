// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.bench.cassandra;

import static org.assertj.core.api.Assertions.assertThat;

import com.datastax.oss.driver.api.core.cql.Row;
import io.coppice.bench.JavaProcess;
import io.coppice.bench.suite.Directories;
import io.coppice.bench.workload.LoadShape;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestMethodOrder;

/**
 * Three real nodes and a table of ours with a replica on each: what an operator does to a cluster,
 * in one story. After each chapter every replica, read by itself, holds exactly what the model
 * says.
 */
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
class ClusterIT {

  private static final long SEED = Long.getLong("seed", 20261121L);
  private static final int NODES = 3;
  private static final int HEAP_MIB = 300;
  private static final LoadShape LOAD = new LoadShape(9, 1000, 1200);
  private static final Duration PATIENCE = Duration.ofSeconds(120);
  private static final String TABLE = "t";
  private static final String OURS =
      "{'class': 'io.coppice.cassandra.SplitForestCompactionStrategy', 'table_size': '1MiB',"
          + " 'fanout': '3', 'cleaning_threshold': '1'}";

  private static Path target;
  private static Cluster cluster;
  private static ReplicatedTable table;

  @BeforeAll
  static void startTheThirdNodeWithoutTheJar() throws Exception {
    if (!Boolean.parseBoolean(System.getProperty("coppice.cluster"))) {
      System.out.println(
          "SKIPPED ClusterIT: three nodes take over three minutes; run it with -Dcluster=true");
      Assumptions.abort("no -Dcluster=true");
    }
    target = Path.of(System.getProperty("coppice.target"));
    Path root = target.resolve("it-cluster");
    Directories.delete(root);
    List<Path> classPath =
        NodeLibrary.unpack(
            Path.of(System.getProperty("coppice.bench.jar")),
            target.resolve("it-node-lib" + System.getProperty("coppice.fork", "")));
    JavaHome java = JavaHome.find(Optional.empty());
    cluster =
        new Cluster(
            new Cluster.Settings(
                java,
                classPath,
                root,
                NODES,
                HEAP_MIB,
                ReplicatedTable.firstPort(),
                Map.of(ReplicatedTable.ALLOWS_NODE_LOCAL, "true")));
    table = new ReplicatedTable(cluster, TABLE, SEED, LOAD);
    cluster.jar(3, false);
    for (int number = 1; number <= NODES; number++) {
      cluster.start(number);
    }
    cluster.awaitAgreement();
  }

  @AfterAll
  static void stop() {
    if (cluster != null) {
      cluster.close();
    }
  }

  @Test
  @Order(1)
  void preflightNamesTheNodeThatLacksTheJarAndIsContentOnceAllHaveIt() throws Exception {
    JavaProcess.Printed missing = preflight();
    assertThat(missing.code()).as(missing.text()).isEqualTo(1);
    assertThat(missing.text())
        .contains(jmx(3) + " has no plugin on its class path", "Not ready")
        .doesNotContain(jmx(1) + " has", jmx(2) + " has");

    cluster.kill(3);
    cluster.jar(3, true);
    cluster.start(3);
    cluster.awaitAgreement();
    JavaProcess.Printed present = preflight();
    assertThat(present.code()).as(present.text()).isZero();
    assertThat(present.text()).contains("Every node checked is ready");
  }

  @Test
  @Order(2)
  void replicasThatDifferAreEqualAfterAFullRepair() throws Exception {
    table.create(NODES, OURS);
    table.write(3000);
    flush();
    table.scatter(1500);
    assertThat(table.held(1)).isNotEqualTo(table.held(2));
    nodetool(1, "repair", "-full", "ks");
    assertAllEqualTheModel("a full repair");
  }

  @Test
  @Order(3)
  void aNodeKilledInTheMiddleOfAChainComesBackWithEveryRow() throws Exception {
    // Slow enough that what is written next is not merged before it is asked for.
    cluster.node(2).client().throttle(1);
    for (int flush = 0; flush < 2; flush++) {
      table.write(1000);
      flush();
    }
    long before = steps(2);
    Process major = nodetoolProcess(2, "compact", "ks", TABLE).start();
    await("two steps of a chain", () -> steps(2) >= before + 2);
    assertThat(major.isAlive()).as("the chain is still under way").isTrue();
    cluster.kill(2);
    major.waitFor();
    cluster.start(2);
    cluster.awaitAgreement();
    assertAllEqualTheModel("a kill amid a chain, and a restart");

    nodetool(2, "compact", "ks", TABLE);
    assertThat(runs(2)).as("runs of each level and part").allMatch(runs -> runs == 1);
    assertAllEqualTheModel("the chain's end");
  }

  @Test
  @Order(4)
  void replicasThatDifferAreEqualAndMarkedAfterAnIncrementalRepair() throws Exception {
    table.scatter(1500);
    assertThat(table.held(3)).isNotEqualTo(table.held(1));
    nodetool(2, "repair", "ks");
    assertAllEqualTheModel("an incremental repair");
    for (int number = 1; number <= NODES; number++) {
      int node = number;
      await("what was repaired to be marked on node " + node, () -> isAllRepaired(node));
    }
    table.write(500);
    flush();
    for (int number = 1; number <= NODES; number++) {
      nodetool(number, "compact", "ks", TABLE);
      assertThat(parts(number)).as("repaired and unrepaired are never merged").hasSize(2);
    }
    assertAllEqualTheModel("major compactions of both parts");
  }

  @Test
  @Order(5)
  void aNewNodeInThePlaceOfADeadOneHasTheDeadOnesRows() throws Exception {
    cluster.replace(3);
    cluster.awaitAgreement();
    assertThat(sstables(3)).isPositive();
    assertAllEqualTheModel("a node was replaced");
    nodetool(3, "compact", "ks", TABLE);
    assertAllEqualTheModel("the new node has merged what was streamed to it");
  }

  @Test
  @Order(6)
  void cleanupLeavesANodeWhatItOwnsAndNothingElse() throws Exception {
    ReplicatedTable.run(
        cluster,
        1,
        "ALTER KEYSPACE ks WITH replication = {'class': 'SimpleStrategy', 'replication_factor': 2}");
    cluster.awaitAgreement();
    Map<String, Integer> copies = new TreeMap<>();
    Map<String, ByteBuffer> expected = table.expected();
    for (int number = 1; number <= NODES; number++) {
      nodetool(number, "cleanup", "ks", TABLE);
      Map<String, ByteBuffer> held = table.held(number);
      assertThat(held.size()).isBetween(1, expected.size() - 1);
      assertThat(expected).as("node %d, seed %d", number, SEED).containsAllEntriesOf(held);
      held.keySet().forEach(row -> copies.merge(row, 1, Integer::sum));
    }
    assertThat(copies.keySet()).as("seed %d", SEED).isEqualTo(expected.keySet());
    assertThat(copies.values()).as("copies of each row").allMatch(count -> count == 2);
  }

  @Test
  @Order(7)
  void noNodeComplainsOfAnythingButThePreflight() throws IOException {
    for (int number = 1; number <= NODES; number++) {
      assertThat(complaints(number))
          .as("node " + number)
          .allMatch(line -> line.contains("Could not set new local compaction strategy"));
    }
  }

  // --- what the chapters share ---

  private static void assertAllEqualTheModel(String after) {
    Map<String, ByteBuffer> expected = table.expected();
    for (int number = 1; number <= NODES; number++) {
      int node = number;
      // Rows that are to last a second may still be there.
      await("brief rows to expire", () -> table.held(node).size() <= expected.size());
      Map<String, ByteBuffer> held = table.held(number);
      assertThat(held.keySet())
          .as("rows of node %d after %s, seed %d", number, after, SEED)
          .isEqualTo(expected.keySet());
      assertThat(held)
          .as("values of node %d after %s, seed %d", number, after, SEED)
          .isEqualTo(expected);
    }
  }

  private static void flush() throws Exception {
    for (int number = 1; number <= NODES; number++) {
      cluster.node(number).client().flush(ReplicatedTable.KEYSPACE, TABLE);
    }
  }

  /** Steps that a node has committed since it was started. */
  private static long steps(int number) {
    try (Stream<String> lines = Files.lines(cluster.node(number).log())) {
      return lines.filter(line -> line.contains(" of ks.t consumed [")).count();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static List<Row> levels(int number) {
    return ReplicatedTable.run(
        cluster,
        number,
        "SELECT * FROM coppice.levels WHERE keyspace_name = 'ks' AND table_name = 't'");
  }

  private static List<Integer> runs(int number) {
    return levels(number).stream().map(row -> row.getInt("runs")).toList();
  }

  private static int sstables(int number) {
    return levels(number).stream().mapToInt(row -> row.getInt("sstables")).sum();
  }

  private static List<String> parts(int number) {
    return levels(number).stream().map(row -> row.getString("part")).distinct().toList();
  }

  private static boolean isAllRepaired(int number) {
    return parts(number).stream().allMatch(part -> part.startsWith("repaired"));
  }

  private static String jmx(int number) {
    return "127.0.0.1:" + cluster.node(number).ports().jmx();
  }

  private static JavaProcess.Printed preflight() throws Exception {
    String hosts =
        IntStream.rangeClosed(1, NODES).mapToObj(ClusterIT::jmx).collect(Collectors.joining(","));
    String tool = System.getProperty("coppice.tool.jar");
    return printed(JavaProcess.of(target, "-jar", tool, "preflight", "--jmx=" + hosts));
  }

  /** Runs Cassandra's nodetool on a node; it must succeed. */
  private static String nodetool(int number, String... arguments) throws Exception {
    JavaProcess.Printed printed = printed(nodetoolProcess(number, arguments));
    assertThat(printed.code()).as(List.of(arguments) + ": " + printed.text()).isZero();
    return printed.text();
  }

  private static ProcessBuilder nodetoolProcess(int number, String... arguments) {
    List<String> command = new ArrayList<>(cluster.node(number).nodetool());
    command.addAll(List.of(arguments));
    return new ProcessBuilder(command)
        .redirectErrorStream(true)
        .redirectOutput(target.resolve("it-nodetool.txt").toFile());
  }

  private static JavaProcess.Printed printed(ProcessBuilder program) throws Exception {
    return JavaProcess.run(program, target.resolve("it-printed.txt"));
  }

  /** Waits for something that will happen by itself; fails if it takes far too long. */
  private static void await(String what, BooleanSupplier happened) {
    long deadline = System.nanoTime() + PATIENCE.toNanos();
    while (!happened.getAsBoolean()) {
      assertThat(System.nanoTime() < deadline).as("waited " + PATIENCE + " for " + what).isTrue();
      LockSupport.parkNanos(Duration.ofMillis(100).toNanos());
    }
  }

  /** Lines at level ERROR in the logs of all starts of a node. */
  private static List<String> complaints(int number) throws IOException {
    List<String> lines = new ArrayList<>();
    try (Stream<Path> files = Files.list(cluster.directory(number))) {
      for (Path log :
          files.filter(file -> file.getFileName().toString().matches("system.*\\.log")).toList()) {
        try (Stream<String> all = Files.lines(log)) {
          all.filter(line -> line.startsWith("ERROR") || line.contains("LEAK DETECTED"))
              .forEach(lines::add);
        }
      }
    }
    return lines;
  }
}
