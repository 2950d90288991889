// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.bench.report;

import static io.coppice.bench.report.Fixtures.MACHINE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SuiteReportTest {

  @TempDir private Path directory;

  private static final double[] THREE_ROUNDS = {100, 100, 100};

  private static SuiteRow rate(double goal, double... ours) {
    return SuiteRow.moreIsBetter("fast", "op/s", ours, THREE_ROUNDS, goal, "");
  }

  private static SuiteReport report(SuiteRow... rows) {
    return new SuiteReport("some", "bench", MACHINE, List.of("a fact"), 3, List.of(rows));
  }

  @Test
  void theMedianOfTheRoundsDecidesOverTheGoal() {
    assertThat(rate(1.5, 10, 150, 900).met()).isTrue();
    assertThat(rate(1.5, 900, 10, 149).met()).isFalse();
    assertThat(rate(1.5, 900, 10, 149).ratio()).isEqualTo(new RepeatSpread(1.49, 0.1, 9));
    assertThat(rate(2, 100, 150, 900).verdict()).isEqualTo("MISSED by 25%");
    assertThat(rate(1.5, 10, 150, 900).verdict()).isEqualTo("met");
  }

  @Test
  void aRateOfZeroHasNoRatioAndNoVerdict() {
    double[] none = {0, 0, 0};
    for (double[] ours : new double[][] {none, THREE_ROUNDS}) {
      SuiteRow row = SuiteRow.moreIsBetter("idle", "op/s", ours, none, 0.95, "");
      assertThat(String.join("\n", report(row).lines())).doesNotContain("NaN", "Infinity");
    }
    assertThat(SuiteRow.moreIsBetter("idle", "op/s", none, none, 0.95, "").verdict())
        .isEqualTo("NOT JUDGED");
  }

  @Test
  void aGoalIsMetExactly() {
    assertThat(rate(0.95, 95, 95, 95).met()).isTrue();
    assertThat(rate(0.95, 94.9, 94.9, 94.9).met()).isFalse();
  }

  @Test
  void aRatioAboveOneMeansThatOursIsBetterAlsoWhereLessIs() {
    double[] half = {50, 50, 50};
    SuiteRow row = SuiteRow.lessIsBetter("small", "%", half, THREE_ROUNDS, 1, "");
    assertThat(row.ratio().median()).isEqualTo(2);
    assertThat(row.met()).isTrue();
    assertThat(SuiteRow.lessIsBetter("small", "%", THREE_ROUNDS, half, 1, "").met()).isFalse();
  }

  /** As tables of the sign test have it. */
  @Test
  void theIntervalOfAMedianLeavesOutAsManyAsChanceAllows() {
    assertThat(MedianInterval.below(10)).isEqualTo(1);
    assertThat(MedianInterval.below(20)).isEqualTo(5);
    assertThat(MedianInterval.below(40)).isEqualTo(13);
    assertThat(MedianInterval.below(1000)).isEqualTo(468);
  }

  private static double[] pairs(int pairs, double from, double to) {
    return IntStream.range(0, pairs)
        .mapToDouble(i -> from + (to - from) * i / (pairs - 1))
        .toArray();
  }

  private static SuiteRow onPairs(double... ratios) {
    double[] ones = new double[ratios.length];
    Arrays.fill(ones, 1);
    return SuiteRow.moreIsBetter("near", "op/s", ratios, ones, 1, "").onPairs();
  }

  @Test
  void aBarNearOneIsJudgedByTheIntervalOfTheMedianOfTenPairs() {
    // Of ten, the second and the last but one are its ends.
    SuiteRow above = onPairs(0.5, 1.01, 1.02, 1.03, 1.04, 1.05, 1.06, 1.07, 1.08, 1.09);
    assertThat(above.met()).isTrue();
    assertThat(above.verdict()).isEqualTo("met");
    assertThat(above.interval()).isEqualTo(new MedianInterval(1.01, 1.08));
    SuiteRow around = onPairs(pairs(10, 0.9, 1.3));
    assertThat(around.met()).isFalse();
    assertThat(around.verdict()).isEqualTo("UNDECIDED");
    assertThat(around.note()).isEqualTo("95 % interval of the median 0.94...1.26");
    SuiteRow below = onPairs(pairs(10, 0.7, 0.9));
    assertThat(below.met()).isFalse();
    assertThat(below.verdict()).isEqualTo("MISSED by 20%");
  }

  @Test
  void fewerThanTenPairsClaimNoVerdictAndCountAsMissed() {
    SuiteRow few = onPairs(pairs(9, 1.2, 1.3));
    assertThat(few.met()).isFalse();
    assertThat(few.verdict()).isEqualTo("NOT JUDGED");
    assertThat(few.note()).isEqualTo("no verdict: a bar so near 1 wants 10 pairs, there are 9");
    assertThat(report(few).missed()).hasSize(1);
  }

  @Test
  void aBoundIsJudgedByTheWorstRound() {
    SuiteRow met = SuiteRow.bound("held", "%", new double[] {0, 0.1, 0.2}, 2, "").steady();
    assertThat(met.met()).isTrue();
    assertThat(met.verdict()).isEqualTo("met");
    assertThat(met.note()).isEqualTo("peer is the bound; worst of 0.00, 0.10, 0.20");
    assertThat(SuiteRow.bound("held", "%", new double[] {0, 0, 2.1}, 2, "").met()).isFalse();
  }

  @Test
  void aRowWithoutGoalIsNeitherMetNorMissed() {
    SuiteRow row = rate(SuiteRow.NO_GOAL, 1, 1, 1);
    assertThat(row.met()).isFalse();
    assertThat(row.verdict()).isEqualTo("-");
    assertThat(report(row).missed()).isEmpty();
  }

  @Test
  void whatWasNotMeasuredIsMissed() {
    assertThat(rate(1, Double.NaN, Double.NaN, Double.NaN).met()).isFalse();
  }

  @Test
  void whatAMachineCannotMeasureIsNamedWithTheReason() {
    SuiteReport report = report(SuiteRow.notMeasured("ring", "no io_uring"));
    assertThat(report.lines()).anyMatch(line -> line.contains("not measured: no io_uring"));
    assertThat(report.json()).contains("\"ours\" : null", "\"met\" : null");
  }

  @Test
  void roundsOfBothSidesAreAsMany() {
    assertThatThrownBy(() -> rate(1, 1, 2))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("2 rounds of one side and 3 of the other");
  }

  @Test
  void theFileHasTheFormOfEverySuite() throws Exception {
    SuiteReport report = report(rate(4, 410, 400, 500), rate(SuiteRow.NO_GOAL, 50, 60, 70));
    Path file = report.write(directory.resolve("made"));
    assertThat(file).hasFileName("some.json");
    JsonNode root = RecordJson.read(file);
    assertThat(root.get("suite").asText()).isEqualTo("some");
    assertThat(root.get("command").asText()).isEqualTo("bench");
    assertThat(root.get("commit").asText()).isEqualTo("abc1234");
    assertThat(root.get("machine").asText()).contains("2 cores");
    JsonNode row = root.get("rows").get(0);
    assertThat(row.get("id").asText()).isEqualTo("fast");
    assertThat(row.get("ours").asDouble()).isEqualTo(410);
    assertThat(row.get("peer").asDouble()).isEqualTo(100);
    assertThat(row.get("ratio").asDouble()).isEqualTo(4.1);
    assertThat(row.get("goal").asDouble()).isEqualTo(4);
    assertThat(row.get("met").asBoolean()).isTrue();
    JsonNode without = root.get("rows").get(1);
    assertThat(without.get("goal").isNull()).isTrue();
    assertThat(without.get("met").isNull()).isTrue();
  }

  @Test
  void theCommitIsThatOfTheRepositoryAroundADirectory() throws Exception {
    assertThat(Machine.commit(directory.resolve("nothing"))).isEmpty();
    Machine.commit(Path.of(""))
        .ifPresent(commit -> assertThat(commit).matches("[0-9a-f]+(\\+[0-9a-f]+)?"));
    assertThat(Machine.now().commit()).matches("unknown|[0-9a-f]+(\\+[0-9a-f]+)?");
  }

  @Test
  void aFileOfAnEarlierRunIsReplacedAndNoDraftStays() throws Exception {
    report(rate(1, 1, 1, 1)).write(directory);
    report(rate(2, 1, 1, 1)).write(directory);
    try (var files = Files.list(directory)) {
      assertThat(files).hasSize(1);
    }
    assertThat(Files.readString(directory.resolve("some.json"))).contains("\"goal\" : 2.0");
  }

  @Test
  void theTableShowsWhatIsMissed() {
    assertThat(report(rate(4, 300, 300, 300), rate(1, 100, 100, 100)).lines())
        .anyMatch(line -> line.startsWith("fast") && line.contains("MISSED by 25%"))
        .contains("1 of 2 goals met");
  }
}
