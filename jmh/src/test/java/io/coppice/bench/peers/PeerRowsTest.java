// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.bench.peers;

import static io.coppice.bench.report.Fixtures.MACHINE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.common.collect.Maps;
import io.coppice.bench.engine.Child;
import io.coppice.bench.engine.Invented;
import io.coppice.bench.engine.Trial;
import io.coppice.bench.engine.TrialResults;
import io.coppice.bench.report.SuiteReport;
import io.coppice.bench.report.SuiteRow;
import io.coppice.bench.store.Measure;
import io.coppice.bench.store.ResourceCheck;
import io.coppice.bench.store.StoreSpec;
import io.coppice.bench.store.Traffic;
import io.coppice.bench.suite.BenchExitCode;
import io.coppice.bench.suite.RunFailedException;
import io.coppice.bench.ycsb.YcsbCell;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.BiFunction;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class PeerRowsTest {

  private static final Probe PROBE = new Probe(1e10, 1e9, 1e6, 1e6);

  private TrialResults measured(BiFunction<StoreSpec, Measure, Double> change) {
    return Invented.of(PeerTrials.of(PeerScale.ALL.get("tiny"), 3, 42), change);
  }

  private List<SuiteRow> rows(BiFunction<StoreSpec, Measure, Double> change) {
    return PeerRows.of(measured(change), PROBE, Set.of());
  }

  @Test
  void ofAWholeRunNoRowIsLeftOut() {
    assertThat(rows((store, measure) -> 1.0))
        .noneMatch(row -> row.note().startsWith("not measured"));
  }

  private static Map<String, SuiteRow> byId(List<SuiteRow> rows) {
    return Maps.uniqueIndex(rows, SuiteRow::id);
  }

  /** Returns the rows of stores that do all alike. */
  private Map<String, SuiteRow> alikeById() {
    return byId(rows((store, measure) -> 1.0));
  }

  @Test
  void everyLineOfTheTableHasItsRow() {
    assertThat(alikeById())
        .containsKeys(
            """
            fillrandom_over_rocksdb fillrandom_over_rocksdb_universal fillrandom_over_lmdb
            fillrandom_over_xodus fillrandom_over_leveldb fillrandom_over_mvstore
            fillrandom_over_mapdb wa_forest_over_leveled wa_lazy_over_leveled
            wa_forest_over_rocksdb_paced wa_forest_over_rocksdb dcompaction_d1_rate
            dcompaction_d1_bytes grouped_rate grouped_bytes fillseq_wa
            fillseq_over_rocksdb readrandom_over_rocksdb readmissing_over_rocksdb
            seekrandom_over_rocksdb readwhilewriting_p99_over_rocksdb space_unique_forest
            space_updates_lazy open_loop_longest_wait_ms open_loop_delayed_percent
            full_speed_delayed_percent full_speed_debt resident_memory merge_rate
            """
                .split("\\s+"));
  }

  @Test
  void suitesArePlannedToEndInTime() {
    assertThat(plannedMinutes(PeerScale.ALL.get("quick"))).isLessThan(3);
    assertThat(plannedMinutes(PeerScale.ALL.get("standard"))).isLessThan(45);
  }

  @Test
  void everyScaleIsOneThatMayBeMeasured() {
    for (PeerScale scale : PeerScale.ALL.values()) {
      for (Trial trial : PeerTrials.of(scale, 1, 42)) {
        assertThat(ResourceCheck.tooLarge(trial.room())).as("%s %s", scale, trial.id()).isEmpty();
      }
    }
  }

  private static double plannedMinutes(PeerScale scale) {
    List<YcsbCell> ycsb = YcsbCell.of(scale.records(), scale.rounds(), 1, scale.memtableBytes());
    return SuiteSchedule.of(PeerTrials.of(scale, scale.rounds(), 42), ycsb, PROBE).seconds() / 60;
  }

  @Test
  void theWriterBesideReadersIsHeldAsItsRowSays() {
    Traffic traffic =
        trial(PeerScale.ALL.get("standard"), PeerTrials.PAIRS)
            .options()
            .apply(new TrialResults())
            .traffic();
    assertThat(traffic.writerBytesPerSecond()).isEqualTo(2_000_000);
    assertThat(traffic.writeBytesPerSecond()).isZero();
  }

  @Test
  void barsNearOneHaveTenPairsWhereFiguresAreQuoted() {
    for (PeerScale scale : List.of(PeerScale.ALL.get("standard"), PeerScale.ALL.get("full"))) {
      for (String id : List.of(PeerTrials.ORDERED, PeerTrials.PAIRS)) {
        assertThat(trial(scale, id).rounds()).as(scale + " " + id).isEqualTo(10);
      }
    }
    assertThat(trial(PeerScale.ALL.get("quick"), PeerTrials.PAIRS).rounds()).isEqualTo(1);
  }

  private static Trial trial(PeerScale scale, String id) {
    return PeerTrials.of(scale, 1, 42).stream()
        .filter(trial -> trial.id().equals(id))
        .findFirst()
        .orElseThrow();
  }

  @Test
  void rowsOfLoadsThatWereLeftOutSaySoAndNoneIsMissing() {
    PeerOptions all = PeerOptions.parse("quick", Map.of(), List.of());
    PeerOptions some = PeerOptions.parse("quick", Map.of("only", "delays,paced"), List.of());
    assertThat(some.trials()).extracting(Trial::id).containsExactly("delays", "paced");
    assertThat(some.withoutYcsb()).isTrue();
    assertThat(all.withoutYcsb()).isFalse();
    assertThat(all.leftOut()).isEmpty();
    assertThat(some.reportName()).isEqualTo("quick-only");
    List<SuiteRow> rows =
        PeerRows.of(Invented.of(some.trials(), (store, measure) -> 1.0), PROBE, some.leftOut());
    assertThat(rows)
        .extracting(SuiteRow::id)
        .isEqualTo(
            PeerRows.of(Invented.of(all.trials(), (store, measure) -> 1.0), PROBE, all.leftOut())
                .stream()
                .map(SuiteRow::id)
                .toList());
    assertThat(rows)
        .filteredOn(row -> !row.note().startsWith("not measured: its load, "))
        .extracting(SuiteRow::id)
        .containsExactly(
            "wa_forest_over_leveled",
            "wa_forest_predicted",
            "wa_leveled_predicted",
            "wa_forest_over_rocksdb_paced",
            "dcompaction_d1_rate",
            "dcompaction_d1_bytes");
  }

  @Test
  void aLoadThatIsMissingAndWasNotLeftOutIsAFault() {
    PeerOptions some = PeerOptions.parse("quick", Map.of("only", "delays"), List.of());
    TrialResults measured = Invented.of(some.trials(), (store, measure) -> 1.0);
    assertThatThrownBy(() -> PeerRows.of(measured, PROBE, Set.of("delays")))
        .isInstanceOf(TrialResults.MissingException.class);
    assertThatThrownBy(() -> measured.rounds("delays", Stores.FOREST))
        .isExactlyInstanceOf(IllegalStateException.class);
  }

  @Test
  void aStoreOfHalfTheTimeAndBytesIsTwiceAsGood() {
    Map<String, SuiteRow> rows =
        byId(
            rows((store, measure) -> store.isOurs() && measure.name().endsWith("NANOS") ? 0.5 : 1));
    assertThat(rows.get("fillrandom_over_rocksdb").ratio().median()).isEqualTo(2);
    assertThat(rows.get("fillrandom_over_rocksdb").met()).isTrue();
    assertThat(rows.get("fillrandom_over_lmdb").met()).isFalse();
    assertThat(rows.get("readwhilewriting_p99_over_rocksdb").ratio().median()).isEqualTo(2);
  }

  @Test
  void writeAmplificationNamesFlushesAndWhatWasPredictedAndHasNoGoalWithFewFlushes() {
    SuiteRow row = alikeById().get("wa_forest_over_leveled");
    assertThat(row.note())
        .contains("flushes, WA 2.00 (predicted ")
        .contains("no goal below 2,900 flushes");
    assertThat(row.hasGoal()).isFalse();
  }

  @Test
  void aRowWhoseRoundsDifferByMoreThanATenthIsUnstableAndMissed() {
    double[] ours = {100, 200, 300};
    SuiteRow row = SuiteRow.moreIsBetter("x", "op/s", ours, new double[] {10, 10, 10}, 2, "");
    assertThat(row.met()).isTrue();
    assertThat(row.steady().met()).isFalse();
    assertThat(row.steady().verdict()).isEqualTo("UNSTABLE by 100%");
  }

  @Test
  void rowsNearOneAreNotJudgedOnThreePairsAndBoundsByTheirWorstRound() {
    Map<String, SuiteRow> rows = alikeById();
    for (String id :
        List.of(
            "fillseq_over_rocksdb",
            "readrandom_over_rocksdb",
            "readwhilewriting_p99_over_rocksdb")) {
      assertThat(rows.get(id).verdict()).as(id).isEqualTo("NOT JUDGED");
      assertThat(rows.get(id).note()).as(id).contains("a bar so near 1 wants 10 pairs");
    }
    assertThat(rows.get("seekrandom_over_rocksdb").verdict()).isEqualTo("met");
    assertThat(rows.get("full_speed_debt").note()).contains("worst of 1000.00, 1000.00, 1000.00");
    assertThat(rows.get("fillseq_wa").note())
        .matches(
            ".* flushes, WA 2.00 \\(predicted 1.00 where writes wait for merges\\); rocksdb: .* flushes, WA 2.00");
  }

  @Test
  void theSummaryHasTheColumnsOfTheScriptAndALineACell() {
    TrialResults measured = measured((store, measure) -> 1.0);
    List<String> lines = Summary.text(measured, MACHINE).lines().toList();
    assertThat(lines.get(0)).startsWith("ops_sec\tmb_sec\tlsm_sz\tblob_sz\tc_wgb\tw_amp\tc_mbps");
    assertThat(lines).allMatch(line -> line.split("\t", -1).length == Summary.COLUMNS.size());
    assertThat(lines).hasSizeGreaterThan(60);
  }

  @Test
  void theChartIsTheSameForTheSameFigures() throws Exception {
    SuiteReport report =
        new SuiteReport("tiny", "bench", MACHINE, List.of(), 3, rows((store, measure) -> 1.0));
    assertThat(RatioChart.svg(report))
        .isEqualTo(RatioChart.svg(report))
        .contains("fillrandom_over_rocksdb (goal 2.00)");
  }

  @Test
  void aBarThatIsCutHasItsValueBesideItAndALineFromLowestToHighest() throws Exception {
    double[] ones = {1, 1, 1};
    SuiteRow cut = SuiteRow.moreIsBetter("cut", "op/s", new double[] {50, 51.77, 60}, ones, 3, "");
    SuiteRow skew = SuiteRow.moreIsBetter("skew", "op/s", new double[] {1, 2, 9}, ones, 3, "");
    assertThat(chart(cut)).contains(">51.77<").doesNotContain(">12.00<");
    SuiteRow even = SuiteRow.moreIsBetter("skew", "op/s", new double[] {1, 2, 3}, ones, 3, "");
    assertThat(chart(skew)).isNotEqualTo(chart(even));
  }

  private String chart(SuiteRow row) throws Exception {
    return RatioChart.svg(new SuiteReport("tiny", "bench", MACHINE, List.of(), 3, List.of(row)));
  }

  @Test
  void aRunSaysBeforeItBeginsHowLongItTakes() {
    for (PeerScale scale : PeerScale.ALL.values()) {
      SuiteSchedule plan =
          SuiteSchedule.of(PeerTrials.of(scale, scale.rounds(), 42), List.of(), PROBE);
      assertThat(plan.lines()).last().asString().startsWith("predicted: ");
      assertThat(plan.cells()).anyMatch(line -> line.contains("open-loop-rocksdb"));
    }
  }

  @Test
  void withoutAGroupTheRowOfMemoryInItIsVisiblySkipped() throws Exception {
    SuiteRow row = MemoryGroup.row("", null, null, null, 0);
    assertThat(row.note()).contains("SKIPPED");
    assertThat(row.hasGoal()).isFalse();
  }

  @Test
  void aGroupThatCannotBeUsedIsSkippedWithItsReason(@TempDir Path group) throws Exception {
    assertThat(MemoryGroup.row(group.toString(), null, null, null, 0).note())
        .endsWith("SKIPPED, as " + group.resolve("cgroup.procs") + " cannot be read");
    Path members = Files.writeString(group.resolve("cgroup.procs"), "4711\n");
    SuiteRow used = MemoryGroup.row(group.toString(), null, null, null, 0);
    assertThat(used.note()).contains("SKIPPED, as").contains("is not empty");
    assertThat(used.hasGoal()).isFalse();
    assertThat(members).hasContent("4711");
  }

  @Test
  void aWrongAnswerInAGroupVoidsTheRunAndADeathMissesTheRow() throws Exception {
    Child.Outcome wrong = new Child.Outcome("s", List.of(), List.of(), "key 7 is gone", null);
    assertThatThrownBy(() -> MemoryGroup.of(1 << 30, wrong))
        .isInstanceOfSatisfying(
            RunFailedException.class,
            ended -> assertThat(ended.code()).isEqualTo(BenchExitCode.WRONG_ANSWERS))
        .hasMessageContaining("key 7 is gone");
    Child.Outcome died = new Child.Outcome("s", List.of(), List.of(), null, "ended with code 137");
    assertThat(MemoryGroup.of(1 << 30, died).verdict()).startsWith("MISSED");
  }
}
