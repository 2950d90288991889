// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.bench.compare.report;

import static org.assertj.core.api.Assertions.assertThat;

import io.coppice.bench.compare.report.RunValidity.Kind;
import io.coppice.bench.report.Records;
import io.coppice.bench.workload.RowState;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class RunValidityTest {

  private static void refused(RunResult run, Kind kind, String words) {
    RunValidity verdict = RunValidity.on(run);
    assertThat(verdict.isValid()).isFalse();
    assertThat(verdict.problems())
        .singleElement()
        .satisfies(
            problem -> {
              assertThat(problem.kind()).isEqualTo(kind);
              assertThat(problem.sentence()).contains(words);
            });
  }

  private static RunResult with(Figures.Load load) {
    return Results.run(Results.STCS, load, Results.CHECKS);
  }

  private static RunResult with(List<Figures.Check> checks) {
    return Results.run(Results.STCS, Results.load(44, 1_500_000, 1_500_000, 9, 0), checks);
  }

  private static List<Figures.Check> checks(int changed, Figures.Check check) {
    List<Figures.Check> checks = new ArrayList<>(Results.CHECKS);
    checks.set(changed, check);
    return checks;
  }

  @Test
  void aSoundRunIsBelieved() {
    assertThat(RunValidity.on(Results.sound(Results.STCS)).problems()).isEmpty();
    assertThat(RunValidity.on(Results.sound(Results.FOREST)).problems()).isEmpty();
  }

  @Test
  void fewerThanFortyFlushesAreTooSmallToJudge() {
    refused(
        with(Results.load(39, 1_500_000, 1_500_000, 9, 0)),
        Kind.TOO_SMALL,
        "too small to judge: 39 flushes");
  }

  @Test
  void countersMustAgreeWithinFivePercentInBothDirections() {
    assertThat(RunValidity.on(with(Results.load(44, 1_000_000, 950_000, 9, 0))).isValid()).isTrue();
    refused(with(Results.load(44, 1_000_000, 949_000, 9, 0)), Kind.INVALID, "bytes compacted");
    refused(with(Results.load(44, 949_000, 1_000_000, 9, 0)), Kind.INVALID, "bytes compacted");
    refused(with(Results.load(44, 1_000_000, 0, 9, 0)), Kind.INVALID, "bytes compacted");
  }

  @Test
  void whoNeverCompactsIsRefused() {
    refused(with(Results.load(44, 0, 0, 0, 0)), Kind.INVALID, "never compacted");
  }

  @Test
  void theForestMustMoveAndOthersNeedNot() {
    Figures.Load unmoved = Results.load(44, 1_000_000, 1_000_000, 9, 0);
    assertThat(RunValidity.on(with(unmoved)).isValid()).isTrue();
    refused(Results.run(Results.FOREST, unmoved, Results.CHECKS), Kind.INVALID, "never moved");
  }

  @Test
  void delayedMustHavePutOffAMerge() {
    Figures.Load load = Results.load(70, 1_000_000, 1_000_000, 9, 5);
    Figures.Load withDecisions =
        Results.with(load, load.window(), new Figures.Decisions(3, 10, 10, 0));
    assertThat(
            RunValidity.on(Results.run(Results.DELAYED, withDecisions, Results.CHECKS)).isValid())
        .isTrue();
    refused(Results.run(Results.DELAYED, load, Results.CHECKS), Kind.INVALID, "never put off");
  }

  @Test
  void oneWrongRowIsEnough() {
    refused(
        with(checks(1, Results.check("after the major", 1))),
        Kind.WRONG,
        "1 of 20000 rows are wrong after the major: row 1/2 is x");
  }

  @Test
  void aMissingCheckIsIncomplete() {
    refused(with(Results.CHECKS.subList(0, 2)), Kind.INCOMPLETE, "only 2 of 3 checks");
  }

  @Test
  void aSampleThatIsSmallOrLacksAStateIsIncomplete() {
    Figures.Check poor =
        new Figures.Check("after a restart", Map.of(RowState.LIVE, 19_999L), 0, List.of());
    RunValidity verdict = RunValidity.on(with(checks(2, poor)));
    assertThat(verdict.problems())
        .extracting(RunValidity.Problem::sentence)
        .containsExactlyInAnyOrder(
            "only 19999 rows were read back after a restart, at least 20000 are needed",
            "no deleted row was read back after a restart",
            "no expired row was read back after a restart",
            "no never written row was read back after a restart");
  }

  @Test
  void aNodeThatDiedIsIncompleteInItsOwnWords() {
    refused(
        Results.failed(Results.STCS, "Cassandra did not start; log: x"),
        Kind.INCOMPLETE,
        "Cassandra did not start; log: x");
  }

  @Test
  void aRunForItsMajorCompactionNeedsNoMoreThanThatAndOneCheck() {
    RunResult sound = Results.sound(Results.STCS);
    assertThat(RunValidity.on(Results.with(sound, true, sound.major())).isValid()).isTrue();
    refused(Results.with(sound, true, null), Kind.INCOMPLETE, "a part of the run is missing");
  }

  @Test
  void anotherClassInChargeIsRefused() {
    RunResult sound = Results.sound(Results.STCS);
    refused(
        Records.with(sound, "strategyClass", "some.Other"),
        Kind.INVALID,
        "the node ran some.Other");
  }
}
