// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.bench.papers;

import static io.coppice.bench.report.Fixtures.MACHINE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.google.common.collect.Maps;
import io.coppice.base.InvalidOptionsException;
import io.coppice.bench.engine.Invented;
import io.coppice.bench.engine.Trial;
import io.coppice.bench.engine.TrialResults;
import io.coppice.bench.engine.Trials;
import io.coppice.bench.peers.Prediction;
import io.coppice.bench.read.ReadSuite;
import io.coppice.bench.report.Fixtures;
import io.coppice.bench.report.RecordJson;
import io.coppice.bench.store.Measure;
import io.coppice.bench.store.ResourceCheck;
import io.coppice.bench.store.StoreSpec;
import io.coppice.bench.suite.RunFailedException;
import io.coppice.bench.ycsb.YcsbRun;
import java.io.Writer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.function.BiFunction;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class PaperSuiteTest {

  /** Remembers its simulations, which most tests share. */
  private static final Prediction PREDICTION = new Prediction();

  @TempDir private Path directory;

  private static TrialResults measured() {
    return measured((store, measure) -> store.equals(PaperLoads.LEVELED) ? 1 : 0.5);
  }

  private static TrialResults measured(BiFunction<StoreSpec, Measure, Double> change) {
    return Invented.of(PaperLoads.of(PaperScale.ALL.get("tiny"), 42), change);
  }

  /** Lookups beside a merge take 20 us, and so many while it is paused. */
  private static Resumption resumption(double pausedMicros) {
    Pauses pauses = new Pauses(20, pausedMicros, 0);
    return new Resumption(100, 9, 11, pauses, pauses);
  }

  private static List<Finding> findings() {
    return findings(measured(), resumption(10));
  }

  private static List<Finding> findings(TrialResults measured, Resumption resumption) {
    Evidence evidence =
        new Evidence(measured, PREDICTION, Map.of("cold_hit_fc_over_serial", 2.3), resumption);
    return Experiment.ALL.stream().map(each -> each.finding(evidence)).toList();
  }

  @Test
  void everyExperimentHasARowAndNoneIsEmpty() {
    List<Finding> findings = findings();
    assertThat(findings)
        .extracting(Finding::id)
        .containsExactly(
            ("D-1 D-2 D-3 D-4 D-5 D-6 D-7 D-8 D-9 G-1 L-1 L-2 L-3 L-4 L-5 S-1 S-2 S-3 S-4 S-5 S-6 S-7"
                    + " S-8 S-9 S-9-pause")
                .split(" "));
    assertThat(new PaperReport("papers-tiny", "bench", MACHINE, List.of(), findings).lines())
        .last()
        .asString()
        .startsWith("25 experiments: agrees ");
  }

  @Test
  void whatWasNotMeasuredHasNoVerdict() {
    Map<String, Finding> findings = byId(findings());
    for (String id : List.of("S-4", "S-5", "S-6", "S-7", "S-8")) {
      assertThat(findings.get(id).verdict()).as(id).isEqualTo(Verdict.UNMEASURED);
      assertThat(findings.get(id).measured()).as(id).contains("not measured");
    }
    assertThat(Verdict.CONTRADICTS.and(Verdict.UNMEASURED)).isEqualTo(Verdict.UNMEASURED);
  }

  private static Map<String, Finding> byId(List<Finding> findings) {
    return Maps.uniqueIndex(findings, Finding::id);
  }

  /** Tiered twice as quick, and merging and its slowest reads so many times leveled's. */
  private static Map<String, Finding> tiered(double merged, double slowest) {
    return byId(
        findings(
            measured(
                (store, measure) -> {
                  if (!store.equals(PaperLoads.TIERED)) {
                    return 1.0;
                  }
                  return switch (measure) {
                    case OPERATION_NANOS, WAIT_NANOS -> 0.5;
                    case MERGED_BYTES, FLUSHED_BYTES -> merged;
                    case P99_NANOS -> slowest;
                    default -> 1.0;
                  };
                }),
            resumption(20)));
  }

  @Test
  void aVerdictIsOfEveryDirectionThatIsClaimed() {
    assertThat(tiered(0.4, 2).get("L-1").verdict()).isEqualTo(Verdict.AGREES);
    assertThat(tiered(0.8, 2).get("L-1").verdict()).isEqualTo(Verdict.WEAKER);
    assertThat(tiered(2, 2).get("L-1").verdict()).isEqualTo(Verdict.CONTRADICTS);
    assertThat(tiered(0.4, 0.5).get("L-1").verdict()).isEqualTo(Verdict.CONTRADICTS);
    assertThat(tiered(0.4, 0.5).get("L-2").verdict()).isEqualTo(Verdict.CONTRADICTS);
    assertThat(tiered(0.4, 1).get("L-3").verdict()).isEqualTo(Verdict.CONTRADICTS);
    // Paused, lookups are as slow as before.
    assertThat(tiered(1, 1).get("S-9-pause").verdict()).isEqualTo(Verdict.CONTRADICTS);
    assertThat(byId(findings()).get("S-9-pause").verdict()).isEqualTo(Verdict.AGREES);
  }

  @Test
  void predictionsAreTheSimulatorsOrSayThatTheyAreTheorys() {
    Map<String, Finding> findings = byId(findings());
    assertThat(findings.get("S-2").predicted())
        .startsWith("write amplification: forest 1.00, leveled 1.00");
    assertThat(findings.get("S-3").predicted()).contains("c 10: ").contains("never: ");
    assertThat(findings.get("D-1").predicted()).contains("compaction reads -");
    assertThat(findings.get("D-1").measured()).contains("compaction reads -50 %, writes -50 %");
    assertThat(findings.get("S-5").predicted()).contains("(1 - e^(-7/10))^7 = 0.82 %");
    for (String id : List.of("S-4", "S-5", "S-6", "S-7", "S-8", "S-9", "S-9-pause")) {
      assertThat(findings.get(id).predicted())
          .as(id)
          .startsWith("the simulator says nothing of ")
          .contains("from the theory: ");
    }
  }

  @Test
  void anExperimentOfAnotherPaperIsAnError() {
    Map<String, String> only = Map.of("only", "S-1");
    assertThatThrownBy(() -> PaperOptions.parse("dcompaction", only, List.of()))
        .isInstanceOf(InvalidOptionsException.class)
        .hasMessageContaining("--only (S-1) must be one of D-1, D-2,")
        .hasMessageContaining("D-9; nearest is D-1");
    assertThat(PaperOptions.parse("all", only, List.of()).experiments()).hasSize(1);
    assertThat(PaperOptions.parse("sifrdb", only, List.of()).experiments()).hasSize(1);
    assertThat(PaperOptions.parse("all", only, List.of()).part()).isEqualTo("-only");
    assertThat(PaperOptions.parse("sifrdb", Map.of(), List.of()).part()).isEqualTo("-sifrdb");
    assertThat(PaperOptions.parse("all", Map.of(), List.of()).part()).isEmpty();
  }

  @Test
  void everyScaleIsOneThatMayBeMeasured() {
    for (PaperScale scale : PaperScale.ALL.values()) {
      for (Trial trial : PaperLoads.of(scale, 42)) {
        assertThat(ResourceCheck.tooLarge(trial.room())).as("%s %s", scale, trial.id()).isEmpty();
      }
    }
  }

  @Test
  void aRunForgetsTheCellsThatItMeasuresAnewAndNoOthers() throws Exception {
    List<Trial> trials = PaperLoads.of(PaperScale.ALL.get("tiny"), 42);
    List<Trial> grouped = trials.stream().filter(trial -> trial.id().equals("g")).toList();
    Path mine = Files.createFile(directory.resolve("g-leveled_fanout=10-1.txt"));
    Path other = Files.createFile(directory.resolve("d-mix-20-leveled_fanout=10-1.txt"));
    Path records = Files.createFile(directory.resolve("ycsb-leveled-1.txt"));
    Trials.forget(grouped, directory);
    assertThat(mine).doesNotExist();
    assertThat(other).exists();
    YcsbRun.forget(directory);
    assertThat(records).doesNotExist();
    assertThat(other).exists();
  }

  @Test
  void allThatIsMeasuredIsPlannedAndCounted() throws Exception {
    PaperOptions options = PaperOptions.parse("all", Map.of("scale", "tiny"), List.of());
    PaperSuite suite = new PaperSuite(options, Fixtures.console(directory, Writer.nullWriter()));
    List<Trial> trials = PaperLoads.of(PaperScale.ALL.get("tiny"), 42);
    assertThat(suite.plan(trials, options.experiments()).lines())
        .anyMatch(line -> line.contains("ycsb "))
        .anyMatch(line -> line.contains("suite of reads "))
        .anyMatch(line -> line.contains("1 kills of merges "));
    assertThat(suite.steps(trials, options.experiments()))
        .isEqualTo(Trials.processes(trials) + 2 + 1 + 1);
  }

  @Test
  void theFileHasOfEachRowClaimPredictionMeasurementVerdictAndReason() throws Exception {
    PaperReport report = new PaperReport("papers-tiny", "bench", MACHINE, List.of(), findings());
    JsonNode file = RecordJson.read(report.write(directory));
    for (JsonNode row : file.get("rows")) {
      for (String name : List.of("claim", "predicted", "measured", "verdict", "reason")) {
        assertThat(row.get(name).asText()).as("%s %s", row.get("id"), name).isNotBlank();
      }
    }
  }

  /** Nothing was merged, so shares of merged bytes have nothing below them. */
  @Test
  void aFigureThatDoesNotExistIsADashAndNull() throws Exception {
    TrialResults unmerged =
        measured(
            (store, measure) ->
                measure == Measure.MERGED_BYTES || measure == Measure.MERGE_READ_BYTES ? 0.0 : 1);
    List<Finding> findings = findings(unmerged, resumption(0));
    PaperReport report = new PaperReport("papers-tiny", "bench", MACHINE, List.of(), findings);
    assertThat(String.join("\n", report.lines())).doesNotContain("NaN", "Infinity");
    assertThat(byId(findings).get("D-1").measured()).contains("compaction reads - %, writes - %;");
    assertThat(byId(findings).get("D-1").verdict()).isEqualTo(Verdict.UNMEASURED);
    Finding search = byId(findings).get("S-4");
    assertThat(search.ours()).isNaN();
    assertThat(report.json()).doesNotContain("NaN").contains("\"ours\" : null");
  }

  @Test
  void theSuiteOfReadsHasTheRowsThatSearchesAreJudgedBy() {
    assertThat(SifrDb.ROWS.keySet()).containsExactlyInAnyOrderElementsOf(Experiment.OF_READS);
    SifrDb.ROWS.values().forEach(rows -> assertThat(ReadSuite.rowIds()).containsAll(rows));
  }

  @Test
  void aGainIsJudgedByItsDirectionAndItsSize() {
    assertThat(Verdict.ofGain(2.2, 2)).isEqualTo(Verdict.AGREES);
    assertThat(Verdict.ofGain(1.91, 2)).isEqualTo(Verdict.AGREES);
    assertThat(Verdict.ofGain(1.5, 2)).isEqualTo(Verdict.WEAKER);
    assertThat(Verdict.ofGain(0.9, 2)).isEqualTo(Verdict.CONTRADICTS);
    assertThat(Verdict.ofLikeness(0.5, 1, 0.1)).isEqualTo(Verdict.CONTRADICTS);
    assertThat(Verdict.ofLoss(2, 1)).isEqualTo(Verdict.AGREES);
    assertThat(Verdict.ofLoss(0.91, 1)).isEqualTo(Verdict.AGREES);
    assertThat(Verdict.ofLoss(0.85, 1)).isEqualTo(Verdict.WEAKER);
    assertThat(Verdict.ofLoss(0.7, 1)).isEqualTo(Verdict.CONTRADICTS);
    assertThat(Verdict.AGREES.and(Verdict.WEAKER)).isEqualTo(Verdict.WEAKER);
  }

  @Test
  void curvesShowEachSecondOfLeveledAndTiered() throws Exception {
    assertThat(Curves.svg(measured(), MACHINE))
        .contains("uniform 50 % reads: op/s", "zipf 95 % reads: merged MiB/s");
  }

  @Test
  void aMergeThatWasKilledOrPausedGoesOnWhereItWas() throws Exception {
    Resumption found =
        new ResumptionRun(
                PaperScale.ALL.get("tiny"), 42, directory.resolve("data"), Fixtures.progress())
            .run();
    assertThat(found.kills()).isEqualTo(1);
    assertThat(found.maxRewritten()).isBetween(0.0, found.bound());
    assertThat(found.extraTables()).isLessThan(1);
    assertThat(found.onDevice().pausedMicros()).isPositive();
    assertThat(RecordJson.parse(RecordJson.line(found.onDevice()), Pauses.class))
        .isEqualTo(found.onDevice());
  }

  @Test
  void aProcessThatEndsOtherwiseThanByItsKillIsNoKill() throws Exception {
    // A file where the copies of the store belong: to open one fails.
    ResumptionRun run =
        new ResumptionRun(PaperScale.ALL.get("tiny"), 42, directory, Fixtures.progress());
    Path copy = Files.createDirectories(directory.resolve("copy")).resolve("no-store");
    Files.createFile(copy);
    assertThatThrownBy(() -> run.kill(copy, 1))
        .isInstanceOf(RunFailedException.class)
        .hasMessageContaining("KILL ended with code 1");
  }
}
