// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.bench.compare;

import static org.assertj.core.api.Assertions.assertThat;

import io.coppice.bench.cassandra.JavaHome;
import io.coppice.bench.cassandra.Node;
import io.coppice.bench.cassandra.NodeLibrary;
import io.coppice.bench.compare.report.CompareOptions;
import io.coppice.bench.compare.report.Contender;
import io.coppice.bench.compare.report.Figures;
import io.coppice.bench.compare.report.Results;
import io.coppice.bench.compare.report.RunResult;
import io.coppice.bench.compare.report.RunValidity;
import io.coppice.bench.compare.report.RunValidity.Kind;
import io.coppice.bench.compare.report.Scale;
import io.coppice.bench.report.Records;
import io.coppice.bench.strategies.HidesItsBytes;
import io.coppice.bench.strategies.NeverCompacts;
import io.coppice.bench.strategies.WritesUnseen;
import io.coppice.bench.suite.Directories;
import io.coppice.bench.workload.Expectation;
import io.coppice.bench.workload.LoadShape;
import io.coppice.bench.workload.RowState;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestMethodOrder;

/**
 * Lets the harness loose on cheats in a real node, a table each, and on an honest strategy as the
 * control. The load is far below what a comparison needs, so every run is too small to judge.
 */
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
class CompareNodeIT {

  private static final long SEED = Long.getLong("seed", 42);
  private static final Scale MICRO = micro(Scale.ROWS_TO_VERIFY);
  private static final Scale MICRO_FOR_CHEATS = micro(1_000);

  private static Node node;

  @BeforeAll
  static void start() throws Exception {
    Path target = Path.of(System.getProperty("coppice.target"));
    Path benchJar = Path.of(System.getProperty("coppice.bench.jar"));
    List<Path> classPath =
        new ArrayList<>(
            NodeLibrary.unpack(
                benchJar, target.resolve("it-node-lib" + System.getProperty("coppice.fork", ""))));
    classPath.add(Path.of(System.getProperty("coppice.test.classes")));
    JavaHome java = JavaHome.find(Optional.empty());
    Path root = target.resolve("it-node");
    Directories.delete(root);
    Node.start(new Node.Settings(java, classPath, root, 512, true), started -> node = started);
  }

  @AfterAll
  static void stop() {
    if (node != null) {
      node.close();
    }
  }

  private static Contender contender(String className) {
    return new Contender(
        "tested", "tested", className, Map.of("min_sstable_size", "4096"), Contender.Proof.NONE);
  }

  private static Scale micro(int sampleRows) {
    return new Scale(
        "micro",
        new LoadShape(12, 400, 200),
        new Scale.NodeShape(1, 512, true),
        new Scale.ReadShape(50, 3, 200, 20, 20, 250, sampleRows),
        10);
  }

  private static TableRun table(
      Contender contender, Scale scale, String name, UnaryOperator<Expectation> belief) {
    CompareOptions options =
        Records.with(Results.options("seed", Long.toString(SEED)), "scale", scale);
    return new TableRun(contender, options, 1, name, belief, Results.progress());
  }

  private static RunValidity judge(Contender contender, String name) throws Exception {
    TableRun run = table(contender, MICRO_FOR_CHEATS, name, UnaryOperator.identity());
    run.measure(node);
    return RunValidity.on(run.result());
  }

  private static List<String> sentences(RunValidity verdict, Kind kind) {
    return verdict.problems().stream()
        .filter(problem -> problem.kind() == kind)
        .map(RunValidity.Problem::sentence)
        .toList();
  }

  @Test
  @Order(1)
  void aStrategyThatNeverCompactsIsRejected() throws Exception {
    RunValidity verdict = judge(contender(NeverCompacts.class.getName()), "never_compacts");
    assertThat(sentences(verdict, Kind.INVALID))
        .anySatisfy(sentence -> assertThat(sentence).contains("it never compacted"))
        .anySatisfy(sentence -> assertThat(sentence).contains("it hardly compacted"));
  }

  @Test
  @Order(2)
  void aStrategyThatHidesItsBytesIsRejected() throws Exception {
    RunValidity verdict = judge(contender(HidesItsBytes.class.getName()), "hides_its_bytes");
    assertThat(sentences(verdict, Kind.INVALID))
        .singleElement()
        .satisfies(sentence -> assertThat(sentence).contains("bytes compacted", "within 5 %"));
  }

  @Test
  @Order(3)
  void aStrategyThatWritesUnseenIsRejected() throws Exception {
    RunValidity verdict = judge(contender(WritesUnseen.class.getName()), "writes_unseen");
    assertThat(sentences(verdict, Kind.INVALID))
        .singleElement()
        .satisfies(sentence -> assertThat(sentence).contains("tracker never announced"));
  }

  @Test
  @Order(4)
  void oneDeliberatelyWrongExpectedValueIsRejected() throws Exception {
    Contender honest = Results.STCS;
    TableRun run = table(honest, MICRO, "wrong_value", OneWrongRow::new);
    run.measure(node);
    RunResult result = run.result();
    assertThat(result.rowsWrong()).as("seed %d", SEED).isEqualTo(2);
    assertThat(sentences(RunValidity.on(result), Kind.WRONG))
        .hasSize(2)
        .allSatisfy(sentence -> assertThat(sentence).contains("1 of 20000 rows are wrong"));
  }

  @Test
  @Order(5)
  void anHonestStrategyIsOnlyTooSmall() throws Exception {
    Contender honest = contender(Results.STCS.className());
    TableRun run = table(honest, MICRO, "honest", UnaryOperator.identity());
    run.measure(node);
    node.restart(started -> node = started);
    run.checkRestarted(node);
    RunResult result = run.result();
    assertThat(RunValidity.on(result).problems())
        .as("seed %d", SEED)
        .extracting(RunValidity.Problem::kind)
        .containsExactly(Kind.TOO_SMALL);
    assertThat(result.rowsVerified()).isGreaterThanOrEqualTo(Scale.ROWS_TO_VERIFY);
    assertThat(result.load().work().flushes()).isEqualTo(12);
    assertThat(result.load().work().rewrites()).isPositive();
    Figures.Window window = result.load().window();
    assertThat(window.flushes()).isEqualTo(9);
    assertThat(window.flushed()).isPositive().isLessThan(result.load().bytes().flushed());
    assertThat(window.growth()).isGreaterThan(1);
    assertThat(window.hitSamples()).isEqualTo(3);
    assertThat(window.hit()).isGreaterThanOrEqualTo(1);
    assertThat(window.meanRuns()).isBetween(1.0, (double) window.maxRuns());
    assertThat(window.candidates99()).isBetween(1, window.maxRuns());
    assertThat(result.load().decisions()).isNull();
    assertThat(result.reads().miss()).isLessThan(result.reads().hit());
    assertThat(result.reads().hit()).isGreaterThanOrEqualTo(1);
    assertThat(result.major().afterBytes()).isLessThan(result.major().beforeBytes());
    assertThat(result.major().reads()).isPositive();
    assertThat(result.major().readP99Micros()).isPositive();
  }

  /** Believes another value of the first live row that is asked for. */
  private record OneWrongRow(Expectation right) implements Expectation {

    private static long wrongPartition = -1;
    private static int wrongClustering;

    @Override
    public RowState state(long partition, int clustering) {
      return right.state(partition, clustering);
    }

    @Override
    public byte[] value(long partition, int clustering) {
      byte[] value = right.value(partition, clustering);
      if (value != null && wrongPartition < 0) {
        wrongPartition = partition;
        wrongClustering = clustering;
      }
      if (partition == wrongPartition && clustering == wrongClustering) {
        value[value.length - 1]++;
      }
      return value;
    }
  }
}
