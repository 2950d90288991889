// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.bench.compare.report;

import static io.coppice.bench.report.Texts.text;

import io.coppice.bench.report.SuiteReport;
import io.coppice.bench.report.SuiteRow;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The report of a comparison. It prints the table, the rows with their goals and the final
 * sentence. It writes {@code compare.json}, {@code compare.svg} and the rows in the file format of
 * all suites.
 *
 * @param results the runs, oldest first
 * @param directory receives {@code compare.json} and {@code compare.svg}
 * @param claims directory of the file with the rows
 */
public record ComparisonReport(
    CompareOptions options,
    Environment environment,
    List<RunResult> results,
    Path directory,
    Path claims,
    PrintWriter out,
    PrintWriter err) {

  public ComparisonReport {
    results = List.copyOf(results);
  }

  /**
   * Prints and writes the report, and returns the exit code of {@link Ending}.
   *
   * @throws IOException if a file cannot be written; the table is printed then
   */
  public int write() throws IOException {
    Map<Contender, List<RunResult>> runs = new LinkedHashMap<>();
    for (Contender contender : options.contenders()) {
      runs.put(
          contender, results.stream().filter(run -> run.contender().equals(contender)).toList());
    }
    out.println();
    ComparisonText.lines(runs).forEach(out::println);
    out.println();
    out.println(
        " lower is better in every column of the first block · ± = range of %d run%s"
            .formatted(options.repeats(), options.repeats() == 1 ? "" : "s"));
    out.println(" " + window() + " · method: docs/explanation/benchmark-method.md");
    Path json = directory.resolve("compare.json");
    Files.writeString(json, JsonReport.text(options, environment, results));
    out.println(" chart " + chart(runs) + "   raw " + shown(json));
    ComparisonRows claims = ComparisonRows.on(results);
    claims(claims);
    results.forEach(this::problems);
    Ending ending = Ending.of(results, claims.rows());
    out.println(ending.sentence());
    out.flush();
    return ending.code();
  }

  /** Prints the rows of the strategies that ran, and writes all rows to a file. */
  private void claims(ComparisonRows filled) throws IOException {
    out.println();
    report(filled.measured()).rowLines().forEach(line -> out.println(" " + line));
    int left = filled.rows().size() - filled.measured().size();
    if (left > 0) {
      out.println(
          " %d more rows are about strategies that did not run: --strategies=all, with Maven -Dstrategies=all"
              .formatted(left));
    }
    out.println();
    Path file = report(filled.rows()).write(claims);
    out.println(" rows " + shown(file) + " · " + options.command());
  }

  private SuiteReport report(List<SuiteRow> rows) {
    return new SuiteReport(
        "compare",
        options.command(),
        environment.machine(),
        List.of(environment.header(options), window()),
        options.repeats(),
        rows);
  }

  /**
   * Returns a sentence about the flushes over which the means are taken: their number and the
   * growth of the live data.
   */
  private String window() {
    return results.stream()
        .filter(run -> run.load() != null)
        .map(run -> run.load().window())
        .findFirst()
        .map(
            window ->
                text(
                    "means over the last %d of %d flushes, in which the live data grows %.1f times",
                    window.flushes(), options.scale().load().flushes(), window.growth()))
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
    for (RunValidity.Problem problem : RunValidity.on(run).problems()) {
      out.println(
          " (!) %s, run %d: %s"
              .formatted(run.contender().label(), run.repeat(), problem.sentence()));
    }
  }
}
