// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.bench.compare.report;

import static io.coppice.bench.report.Texts.text;

import io.coppice.bench.compare.report.RunValidity.Kind;
import io.coppice.bench.report.SuiteRow;
import io.coppice.bench.suite.BenchExitCode;
import java.util.List;

/**
 * End of a comparison: exit code and last sentence. With both wrong answers and invalid runs, it
 * reports the wrong answers. A missed goal is a result of a run, so it changes the sentence and
 * leaves the exit code at 0. Pure.
 *
 * @param code exit code of the process
 * @param sentence last line of the report
 */
record Ending(int code, String sentence) {

  /**
   * Returns the ending of a comparison, judging the runs first, and then the rows made from them.
   */
  static Ending of(List<RunResult> results, List<SuiteRow> rows) {
    List<RunValidity> verdicts = results.stream().map(RunValidity::on).toList();
    if (verdicts.stream().anyMatch(verdict -> verdict.has(Kind.WRONG))) {
      return new Ending(
          BenchExitCode.WRONG_ANSWERS,
          "compare: FAILED; rows read back differ from what was written.");
    }
    if (!verdicts.stream().allMatch(RunValidity::isValid)) {
      return new Ending(
          BenchExitCode.INCOMPLETE,
          "compare: INCOMPLETE; at least one run did not finish or cannot be believed.");
    }
    return new Ending(
        BenchExitCode.DONE, "compare: done; " + answers(results) + ", and " + goals(rows) + ".");
  }

  private static String answers(List<RunResult> results) {
    long verified = results.stream().mapToLong(RunResult::rowsVerified).min().orElse(0);
    boolean once = results.stream().allMatch(RunResult::majorOnly);
    return text(
        "%s valid, every answer is right (%,d rows or more read back %s in each)",
        results.size() == 1 ? "the run is" : "all %d runs are".formatted(results.size()),
        verified,
        once ? "once" : "three times");
  }

  private static String goals(List<SuiteRow> rows) {
    List<SuiteRow> judged = rows.stream().filter(SuiteRow::hasGoal).toList();
    List<String> missed = judged.stream().filter(row -> !row.met()).map(SuiteRow::id).toList();
    if (judged.isEmpty()) {
      return "no goal is judged with these strategies at this scale";
    }
    if (missed.isEmpty()) {
      return judged.size() == 1
          ? "the goal judged at this scale is met"
          : "all %d goals judged at this scale are met".formatted(judged.size());
    }
    return "%d of %d goals judged at this scale MISSED: %s"
        .formatted(missed.size(), judged.size(), String.join(", ", missed));
  }
}
