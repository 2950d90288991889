// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.bench.compare.report;

import static org.assertj.core.api.Assertions.assertThat;

import io.coppice.bench.report.SuiteRow;
import java.util.List;
import org.junit.jupiter.api.Test;

class ComparisonRowsTest {

  private static RunResult run(Contender contender, long rewritten, Figures.Decisions decisions) {
    Figures.Load load = Results.load(70, 1_500_000, 1_500_000, 13, 4);
    return Results.run(
        contender, Results.with(load, Results.window(66, rewritten), decisions), Results.CHECKS);
  }

  private static RunResult forest(long rewritten) {
    return run(Results.FOREST, rewritten, null);
  }

  private static RunResult ucs(long rewritten) {
    return run(Results.contender("ucs-t4"), rewritten, null);
  }

  private static RunResult lcs() {
    return Results.with(run(Results.contender("lcs"), 5_000_000, null), 50);
  }

  private static SuiteRow row(String id, RunResult... runs) {
    return ComparisonRows.on(List.of(runs)).rows().stream()
        .filter(row -> row.id().equals(id))
        .findFirst()
        .orElseThrow();
  }

  @Test
  void aRatioAboveOneIsBetterForUs() {
    SuiteRow row = row("forest4_wa_over_ucs_t4", forest(1_000_000), ucs(3_000_000));
    assertThat(row.ours().median()).isEqualTo(2);
    assertThat(row.peer().median()).isEqualTo(4);
    assertThat(row.ratio().median()).isEqualTo(2);
    assertThat(row.met()).isTrue();
    assertThat(row.note()).contains("runs over a token 4.50 : 4.50", "peak space 2.25 : 2.25");
  }

  @Test
  void moreThanTheClaimIsMissed() {
    SuiteRow row = row("forest4_wa_over_ucs_t4", forest(1_200_000), ucs(1_000_000));
    assertThat(row.hasGoal()).isTrue();
    assertThat(row.met()).isFalse();
    assertThat(row.verdict()).startsWith("MISSED by 5%");
  }

  @Test
  void tooFewRealMergesAreSaidInEachRowOfDelayed() {
    Figures.Decisions decisions = new Figures.Decisions(50, 12, 9, 0);
    RunResult delayed = Results.with(run(Results.DELAYED, 1_000_000, decisions), 50);
    RunResult lcs = lcs();
    assertThat(row("delayed_merges_by_vct", delayed).met()).isTrue();
    assertThat(row("delayed_merges_by_vsmt", delayed).met()).isFalse();
    assertThat(row("delayed_compaction_bytes_over_lcs", delayed, lcs).note())
        .contains("12 merges by vct, 9 by vsmt, too few");
    assertThat(row("delayed_compaction_bytes_over_lcs", delayed, lcs).ratio().median())
        .isEqualTo(5);
    assertThat(row("delayed_candidates_p99", delayed).ratio().median()).isEqualTo(2);
  }

  @Test
  void aShortWindowIsNotJudged() {
    Figures.Load load = Results.load(44, 1_500_000, 1_500_000, 13, 4);
    Figures.Load brief = Results.with(load, Results.window(64, 1_000_000), null);
    RunResult forest = Results.run(Results.FOREST, brief, Results.CHECKS);
    SuiteRow row = row("forest4_wa_over_ucs_t4", forest, ucs(3_000_000));
    assertThat(row.hasGoal()).isFalse();
    assertThat(row.note()).contains("not judged at this scale: 64 of 65 flushes in the window");
    assertThat(row.ratio().median()).isEqualTo(2);
  }

  @Test
  void delayedIsJudgedFromFiftyLiveSstablesOn() {
    Figures.Decisions decisions = new Figures.Decisions(5, 3, 1, 0);
    RunResult lcs = lcs();
    RunResult small = Results.with(run(Results.DELAYED, 1_000_000, decisions), 49);
    for (String id :
        List.of(
            "delayed_compaction_bytes_over_lcs",
            "delayed_sstables_per_hit_over_lcs",
            "delayed_mean_space_over_lcs",
            "delayed_merges_by_vct",
            "delayed_merges_by_vsmt")) {
      SuiteRow row = row(id, small, lcs);
      assertThat(row.hasGoal()).as(id).isFalse();
      assertThat(row.note()).as(id).contains("not judged at this scale: 49 of 50 live SSTables");
    }
    RunResult enough = Results.with(run(Results.DELAYED, 1_000_000, decisions), 50);
    assertThat(row("delayed_merges_by_vct", enough).verdict()).isEqualTo("MISSED by 70%");
  }

  @Test
  void theSmallestOfAllRunsDecidesWhetherARowIsJudged() {
    RunResult forest = forest(1_000_000);
    RunResult peer = ucs(3_000_000);
    RunResult brief =
        Results.run(
            peer.contender(),
            Results.with(peer.load(), Results.window(64, 3_000_000), null),
            Results.CHECKS);
    assertThat(row("forest4_wa_over_ucs_t4", forest, peer).hasGoal()).isTrue();
    assertThat(row("forest4_wa_over_ucs_t4", forest, brief).hasGoal()).isFalse();
  }

  @Test
  void latencyAndSpeedOfASmallMajorCompactionAreNotJudgedHoweverLongItTook() {
    for (String id : List.of("read_p99_during_major_over_stcs", "major_speed_forest4_over_stcs")) {
      RunResult[] slow = new RunResult[2];
      for (Contender contender : List.of(Results.FOREST, Results.STCS)) {
        slow[contender.isOurs() ? 0 : 1] =
            Results.with(
                run(contender, 1_000_000, null),
                false,
                new Figures.Major(
                    30_000_000, 1_000_000, 20_000_000, 20_000_000, 60, 15_000, 900_000));
      }
      SuiteRow row = row(id, slow);
      assertThat(row.hasGoal()).as(id).isFalse();
      assertThat(row.note()).as(id).contains("20 of 1,500 MB of live data");
    }
  }

  @Test
  void theExtraDiskOfAMajorCompactionIsJudgedOnLargeDataOnly() {
    SuiteRow row = row("major_extra_percent_split_forest", forest(1_000_000));
    assertThat(row.hasGoal()).isFalse();
    assertThat(row.ours().median()).isEqualTo(80);
    assertThat(row.note()).contains("not judged at this scale: 10 of 1,500 MB of live data");
  }

  private static RunResult readMeanwhile(Contender contender, boolean majorOnly, long reads) {
    double p99 = contender.isOurs() ? 2_300 : 2_000;
    return Results.with(
        run(contender, 1_000_000, null),
        majorOnly,
        new Figures.Major(4_000_000_000L, 90_000_000, 2_000_000_000, 1_900_000_000, 8, reads, p99));
  }

  private static RunResult[] meanwhile(boolean majorOnly, long reads) {
    return new RunResult[] {
      readMeanwhile(Results.FOREST, majorOnly, reads), readMeanwhile(Results.STCS, majorOnly, 2_000)
    };
  }

  @Test
  void readsDuringAMajorCompactionStandBesideThoseOfStcs() {
    String id = "read_p99_during_major_over_stcs";
    SuiteRow row = row(id, meanwhile(false, 2_000));
    assertThat(row.ours().median()).isEqualTo(2_300);
    assertThat(row.peer().median()).isEqualTo(2_000);
    assertThat(row.met()).as("1.15 of at most 1.2").isTrue();
    SuiteRow few = row(id, meanwhile(false, 999));
    assertThat(few.hasGoal()).isFalse();
    assertThat(few.note()).contains("not judged at this scale: 999 of 1,000 reads meanwhile");
  }

  @Test
  void whatRanForMajorCompactionsOnlyHasTheirRowsOnly() {
    List<SuiteRow> rows = ComparisonRows.on(List.of(meanwhile(true, 2_000))).rows();
    assertThat(rows).allSatisfy(row -> assertThat(row.id()).contains("major"));
    assertThat(rows).filteredOn(SuiteRow::hasGoal).hasSize(3).allMatch(SuiteRow::met);
  }

  @Test
  void whatDidNotRunIsNamed() {
    assertThat(row("forest4_wa_over_ucs_t4", ucs(1)).note())
        .isEqualTo("not measured: split-forest did not run");
    RunResult invalid = Results.failed(Results.FOREST, "it died");
    assertThat(row("forest4_wa_over_ucs_t4", invalid, ucs(1)).note())
        .isEqualTo("not measured: a run of split-forest is not valid");
  }
}
