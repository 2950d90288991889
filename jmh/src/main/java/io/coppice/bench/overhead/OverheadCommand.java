// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.bench.overhead;

import static io.coppice.bench.suite.Texts.text;

import io.coppice.bench.BenchExitCode;
import io.coppice.bench.suite.BenchmarkCommand;
import io.coppice.bench.suite.ChildJava;
import io.coppice.bench.suite.Machine;
import io.coppice.bench.suite.MedianInterval;
import io.coppice.bench.suite.OptionReader;
import io.coppice.bench.suite.ProgressLine;
import io.coppice.bench.suite.RecordJson;
import io.coppice.bench.suite.RepeatSpread;
import io.coppice.workload.Terminal;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.ToDoubleFunction;
import picocli.CommandLine.Command;

/** The command {@code overhead}: what counters, analyser and beans cost a store. */
@Command(
    name = "overhead",
    sortOptions = false,
    description = {
      "Measures what counting, sampling and beans cost a store.",
      "Writes and reads keys in random order in two stores of one process, in turn. One has counters,",
      "samples, an adaptive policy that never switches, and a poll of all beans each second. The",
      "other counts nothing under the same policy. A pair is a turn of each; every other pair starts",
      "with the other store. Processor time is that of the process, with flushes, merges, compiler",
      "and collector. Bytes are the allocations of the working thread. Each median of the ratios has",
      "its 95 %% confidence interval."
    },
    footer = {
      "",
      "Example: java -jar coppice-bench.jar overhead --pairs=40",
      "Exit codes: 0 done, 2 wrong usage, 4 the process did not end well."
    })
public final class OverheadCommand extends BenchmarkCommand {

  private static final List<String> FLAGS =
      List.of("-Xms512m", "-Xmx512m", "-XX:MaxDirectMemorySize=4g");
  private static final int MIN_PAIRS = 10;
  private static final int MAX_PAIRS = 1000;
  private static final int MIN_KEYS = 1000;

  private final List<Costs> on = new ArrayList<>();
  private final List<Costs> off = new ArrayList<>();

  @Override
  protected int run(Map<String, String> given, List<String> unknown) throws Exception {
    OptionReader reader = reader(given, unknown);
    int pairs = (int) reader.number("pairs", 0, MIN_PAIRS, MAX_PAIRS);
    int keys = (int) reader.number("num", 0, MIN_KEYS, Integer.MAX_VALUE);
    long seed = reader.seed();
    reader.check();
    line(Machine.now().line());
    line(pairs + " pairs of " + keys + " writes and reads, seed " + seed);
    line("");
    if (!measure(pairs, keys, seed)) {
      return BenchExitCode.INCOMPLETE;
    }
    line("row                            on       off   unit     on / off                  bar");
    ratio("analyser_cpu_fill", "1.01", Costs::fillNanos);
    ratio("analyser_cpu_read", "1.02", Costs::readNanos);
    difference("analyser_bytes_per_fill", Costs::fillBytes);
    difference("analyser_bytes_per_read", Costs::readBytes);
    return BenchExitCode.DONE;
  }

  private boolean measure(int pairs, int keys, long seed) throws IOException, InterruptedException {
    Path directory = Path.of("target", "bench", "overhead").toAbsolutePath();
    ProgressLine progress =
        new ProgressLine(err(), Terminal.isInteractive(), 1, 1, System::nanoTime);
    progress.begin("overhead");
    ChildJava.Ended ended =
        new ChildJava(directory, FLAGS, new OverheadProcess.Task(directory, keys, pairs, seed))
            .run(
                progress,
                Map.of(
                    OverheadProcess.ON, line -> on.add(RecordJson.parse(line, Costs.class)),
                    OverheadProcess.OFF, line -> off.add(RecordJson.parse(line, Costs.class))));
    progress.erase();
    if (ended.code() == 0 && on.size() == pairs && off.size() == pairs) {
      return true;
    }
    err().println("the process ended with code " + ended.code() + ":");
    err().println(ended.errors());
    return false;
  }

  private void ratio(String id, String bar, ToDoubleFunction<Costs> cost) {
    double[] ratios = new double[on.size()];
    for (int i = 0; i < ratios.length; i++) {
      ratios[i] = cost.applyAsDouble(on.get(i)) / cost.applyAsDouble(off.get(i));
    }
    MedianInterval interval = MedianInterval.of(ratios);
    row(
        id,
        cost,
        "ns   %6.3f (95 %% %.3f...%.3f)  %s",
        RepeatSpread.of(ratios).median(),
        interval.low(),
        interval.high(),
        bar);
  }

  private void difference(String id, ToDoubleFunction<Costs> cost) {
    row(id, cost, "B    %+6.1f                      0 more", median(on, cost) - median(off, cost));
  }

  private void row(String id, ToDoubleFunction<Costs> cost, String rest, Object... figures) {
    String costs = text("%-24s %9.1f %9.1f   ", id, median(on, cost), median(off, cost));
    line("%s", costs + text(rest, figures));
  }

  private static double median(List<Costs> costs, ToDoubleFunction<Costs> cost) {
    return RepeatSpread.of(costs.stream().mapToDouble(cost).toArray()).median();
  }
}
