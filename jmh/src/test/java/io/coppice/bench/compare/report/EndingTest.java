// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.bench.compare.report;

import static org.assertj.core.api.Assertions.assertThat;

import io.coppice.bench.report.SuiteRow;
import io.coppice.bench.suite.BenchExitCode;
import java.util.List;
import org.junit.jupiter.api.Test;

class EndingTest {

  private static final RunResult STCS = Results.sound(Results.STCS);
  private static final RunResult FOREST = Results.sound(Results.FOREST);

  private static SuiteRow row(String id, double ours, double goal) {
    return SuiteRow.lessIsBetter(id, "WA", new double[] {ours}, new double[] {2}, goal, "");
  }

  private static void ends(Ending ending, int code, String sentence) {
    assertThat(ending.sentence()).isEqualTo(sentence);
    assertThat(ending.code()).isEqualTo(code);
  }

  @Test
  void aSoundRunThatMeetsItsGoalsEndsWithOnePositiveSentence() {
    ends(
        Ending.of(
            List.of(STCS, FOREST),
            List.of(
                row("a", 1, 1.5),
                row("b", 2, 1),
                row("c", 9, 1).withoutGoal("not judged at this scale: too little"),
                SuiteRow.notMeasured("d", "delayed did not run"))),
        BenchExitCode.DONE,
        "compare: done; all 2 runs are valid, every answer is right (20,000 rows or more read back"
            + " three times in each), and all 2 goals judged at this scale are met.");
  }

  @Test
  void aMissedGoalIsNamedAndLeavesTheExitCode() {
    Ending ending =
        Ending.of(List.of(STCS, FOREST), List.of(row("a", 1, 1.5), row("forest_wa", 3, 1)));
    assertThat(ending.code()).isEqualTo(BenchExitCode.DONE);
    assertThat(ending.sentence())
        .endsWith("and 1 of 2 goals judged at this scale MISSED: forest_wa.");
  }

  @Test
  void aRunWithoutGoalsSaysSo() {
    assertThat(Ending.of(List.of(STCS), List.of()).sentence())
        .contains("the run is valid")
        .endsWith("no goal is judged with these strategies at this scale.");
  }

  @Test
  void oneCheckIsNotThree() {
    RunResult once = Results.with(STCS, true, STCS.major());
    assertThat(Ending.of(List.of(once), List.of()).sentence()).contains("read back once in each");
  }

  @Test
  void wrongRowsComeBeforeRunsThatFailedAndMetGoalsHideNeither() {
    List<SuiteRow> met = List.of(row("a", 1, 1));
    RunResult failed = Results.failed(Results.STCS, "it died");
    RunResult wrong =
        Results.run(Results.FOREST, FOREST.load(), List.of(Results.check("after the load", 1)));
    ends(
        Ending.of(List.of(failed, wrong), met),
        BenchExitCode.WRONG_ANSWERS,
        "compare: FAILED; rows read back differ from what was written.");
    ends(
        Ending.of(List.of(FOREST, failed), met),
        BenchExitCode.INCOMPLETE,
        "compare: INCOMPLETE; at least one run did not finish or cannot be believed.");
    RunResult brief =
        Results.run(Results.STCS, Results.load(39, 1_500_000, 1_500_000, 9, 0), Results.CHECKS);
    assertThat(Ending.of(List.of(brief), met).code()).isEqualTo(BenchExitCode.INCOMPLETE);
  }
}
