// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.bench.compare;

import static org.assertj.core.api.Assertions.assertThat;

import io.coppice.bench.suite.SuiteRow;
import java.util.List;
import org.junit.jupiter.api.Test;

class ClaimsTest {

  private static final Contender LCS = Results.contender("lcs");
  private static final Contender UCS_T4 = Results.contender("ucs-t4");

  private static RunResult run(Contender contender, long rewritten, Figures.Decisions decisions) {
    Figures.Load load = Results.load(70, 1_500_000, 1_500_000, 13, 4);
    return Results.run(
        contender, Results.with(load, Results.window(66, rewritten), decisions), Results.CHECKS);
  }

  private static SuiteRow row(String id, RunResult... runs) {
    return Claims.rows(List.of(runs)).stream()
        .filter(row -> row.id().equals(id))
        .findFirst()
        .orElseThrow();
  }

  @Test
  void aRatioAboveOneIsBetterForUs() {
    SuiteRow row =
        row(
            "forest4_wa_over_ucs_t4",
            run(Results.FOREST, 1_000_000, null),
            run(UCS_T4, 3_000_000, null));
    assertThat(row.ours().median()).isEqualTo(2);
    assertThat(row.peer().median()).isEqualTo(4);
    assertThat(row.ratio().median()).isEqualTo(2);
    assertThat(row.met()).isTrue();
    assertThat(row.note()).contains("runs over a token 4.50 : 4.50", "peak space 2.25 : 2.25");
  }

  @Test
  void moreThanTheClaimIsMissed() {
    SuiteRow row =
        row(
            "forest4_wa_over_ucs_t4",
            run(Results.FOREST, 1_200_000, null),
            run(UCS_T4, 1_000_000, null));
    assertThat(row.hasGoal()).isTrue();
    assertThat(row.met()).isFalse();
    assertThat(row.verdict()).startsWith("MISSED by 5%");
  }

  @Test
  void tooFewRealMergesAreSaidInEachRowOfDelayed() {
    RunResult delayed = run(Results.DELAYED, 1_000_000, new Figures.Decisions(50, 12, 9, 0));
    RunResult lcs = run(LCS, 5_000_000, null);
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
    SuiteRow row = row("forest4_wa_over_ucs_t4", forest, run(UCS_T4, 3_000_000, null));
    assertThat(row.hasGoal()).isFalse();
    assertThat(row.note()).contains("under 65 flushes");
    assertThat(row.ratio().median()).isEqualTo(2);
  }

  @Test
  void theExtraDiskOfAMajorCompactionIsJudgedOnLargeDataOnly() {
    SuiteRow row = row("major_extra_percent_split_forest", run(Results.FOREST, 1_000_000, null));
    assertThat(row.hasGoal()).isFalse();
    assertThat(row.ours().median()).isEqualTo(80);
    assertThat(row.note()).contains("1.5 GB");
  }

  private static RunResult readMeanwhile(Contender contender, boolean majorOnly, long reads) {
    double p99 = contender.isOurs() ? 2_300 : 2_000;
    return Results.with(
        run(contender, 1_000_000, null),
        majorOnly,
        new Figures.Major(4_000_000_000L, 90_000_000, 2_000_000_000, 1_900_000_000, 8, reads, p99));
  }

  @Test
  void readsDuringAMajorCompactionStandBesideThoseOfStcs() {
    String id = "read_p99_during_major_over_stcs";
    SuiteRow row =
        row(
            id,
            readMeanwhile(Results.FOREST, false, 2_000),
            readMeanwhile(Results.STCS, false, 2_000));
    assertThat(row.ours().median()).isEqualTo(2_300);
    assertThat(row.peer().median()).isEqualTo(2_000);
    assertThat(row.met()).as("1.15 of at most 1.2").isTrue();
    SuiteRow few =
        row(
            id,
            readMeanwhile(Results.FOREST, false, 999),
            readMeanwhile(Results.STCS, false, 2_000));
    assertThat(few.hasGoal()).isFalse();
    assertThat(few.note()).contains("1000 reads");
  }

  @Test
  void whatRanForMajorCompactionsOnlyHasTheirRowsOnly() {
    List<SuiteRow> rows =
        Claims.rows(
            List.of(
                readMeanwhile(Results.FOREST, true, 2_000),
                readMeanwhile(Results.STCS, true, 2_000)));
    assertThat(rows).allSatisfy(row -> assertThat(row.id()).contains("major"));
    assertThat(rows).filteredOn(SuiteRow::hasGoal).hasSize(3).allMatch(SuiteRow::met);
  }

  @Test
  void whatDidNotRunIsNamed() {
    assertThat(row("forest4_wa_over_ucs_t4", run(UCS_T4, 1, null)).note())
        .isEqualTo("not measured: split-forest did not run");
    RunResult invalid = Results.failed(Results.FOREST, "it died");
    assertThat(row("forest4_wa_over_ucs_t4", invalid, run(UCS_T4, 1, null)).note())
        .isEqualTo("not measured: a run of split-forest is not valid");
  }
}
