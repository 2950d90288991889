// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.bench.compare;

import io.coppice.bench.ExitCode;
import io.coppice.bench.compare.Verdict.Kind;
import io.coppice.bench.suite.SuiteReport;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * Prints the table and the claims, writes compare.json and compare.svg, and beside them, as every
 * suite does, the claims; says in words how it ended.
 */
final class Report {

  private final CompareOptions options;
  private final Environment environment;
  private final List<RunResult> results;
  private final Path directory;
  private final Path claims;
  private final PrintWriter out;
  private final PrintWriter err;

  /**
   * A report.
   *
   * @param directory of the raw figures and the chart
   * @param claims directory of the rows
   */
  Report(
      CompareOptions options,
      Environment environment,
      List<RunResult> results,
      Path directory,
      Path claims,
      PrintWriter out,
      PrintWriter err) {
    this.options = options;
    this.environment = environment;
    this.results = List.copyOf(results);
    this.directory = directory;
    this.claims = claims;
    this.out = out;
    this.err = err;
  }

  /** Returns the exit code. */
  int write() throws IOException {
    Map<Contender, List<RunResult>> runs = new LinkedHashMap<>();
    for (Contender contender : options.contenders()) {
      runs.put(
          contender, results.stream().filter(run -> run.contender().equals(contender)).toList());
    }
    out.println();
    TableText.lines(runs).forEach(out::println);
    out.println();
    out.println(
        " lower is better in every column of the first block · ± = range of %d run%s"
            .formatted(options.repeats(), options.repeats() == 1 ? "" : "s"));
    out.println(" " + window() + " · method: docs/explanation/benchmark-method.md");
    Path json = directory.resolve("compare.json");
    Files.writeString(json, JsonReport.text(options, environment, results));
    out.println(" chart " + chart(runs) + "   raw " + shown(json));
    claims();
    results.forEach(this::problems);
    int code = code();
    out.println(words(code));
    out.flush();
    return code;
  }

  private void claims() throws IOException {
    SuiteReport report =
        new SuiteReport(
            "compare",
            options.command(),
            environment.machine(),
            List.of(environment.header(options), window()),
            options.repeats(),
            Claims.rows(results));
    out.println();
    report.rowLines().forEach(line -> out.println(" " + line));
    out.println();
    out.println(" rows " + shown(report.write(claims)) + " · " + options.command());
  }

  /** Over how many flushes and how much growth the means are. */
  private String window() {
    return results.stream()
        .filter(run -> run.load() != null)
        .map(run -> run.load().window())
        .findFirst()
        .map(
            window ->
                String.format(
                    Locale.ROOT,
                    "means over the last %d of %d flushes, in which the live data grows %.1f times",
                    window.flushes(),
                    options.scale().load().flushes(),
                    window.growth()))
        .orElse("no load came to its end");
  }

  private String chart(Map<Contender, List<RunResult>> runs) {
    Path file = directory.resolve("compare.svg");
    try {
      Files.writeString(file, Chart.svg(runs, environment.header(options)));
      return shown(file);
    } catch (IOException | RuntimeException | LinkageError e) {
      err.println("the chart could not be drawn: " + e);
      return "-";
    }
  }

  private static String shown(Path file) {
    Path here = Path.of("").toAbsolutePath();
    return file.startsWith(here) ? here.relativize(file).toString() : file.toString();
  }

  private void problems(RunResult run) {
    for (Verdict.Problem problem : Verdict.on(run).problems()) {
      out.println(
          " (!) %s, run %d: %s"
              .formatted(run.contender().label(), run.repeat(), problem.sentence()));
    }
  }

  private int code() {
    boolean allBelieved = true;
    for (RunResult run : results) {
      Verdict verdict = Verdict.on(run);
      if (verdict.has(Kind.WRONG)) {
        return ExitCode.WRONG_ANSWERS;
      }
      allBelieved &= verdict.believed();
    }
    return allBelieved ? ExitCode.DONE : ExitCode.INCOMPLETE;
  }

  private String words(int code) {
    long verified = results.stream().mapToLong(RunResult::rowsVerified).min().orElse(0);
    String times = options.majorsOnly() ? "once" : "three times";
    return switch (code) {
      case ExitCode.DONE ->
          "compare: done; all %d runs are valid, each read back at least %d rows %s, none wrong."
              .formatted(results.size(), verified, times);
      case ExitCode.WRONG_ANSWERS ->
          "compare: FAILED; rows read back differ from what was written.";
      default -> "compare: INCOMPLETE; at least one run did not finish or cannot be believed.";
    };
  }
}
