// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.bench.watching;

import io.coppice.bench.ExitCode;
import io.coppice.bench.suite.ChildJava;
import io.coppice.bench.suite.Machine;
import io.coppice.bench.suite.MedianInterval;
import io.coppice.bench.suite.ProgressLine;
import io.coppice.bench.suite.Spread;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import java.util.function.ToDoubleFunction;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** The command {@code watching}: what counters, analyser and beans cost a store. */
@Command(
    name = "watching",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    description = {
      "Measures what counting, sampling and beans cost a store.",
      "Writes and reads keys in random order, in turn in a store that is watched (counters, samples,",
      "an adaptive policy that never switches, beans asked for everything once a second) and in one",
      "that counts nothing under the same policy, both in one process. A pair is a turn of each,",
      "and every other pair begins with the other. Processor time is that of the process meanwhile,",
      "with flushes, merges, compiler and collector; bytes are what the working thread allocated.",
      "Beside the median of the pairs' ratios stands the interval that holds it with 95 %%."
    },
    footer = {
      "",
      "Example: java -jar coppice-bench.jar watching --pairs=40",
      "Exit codes: 0 done, 2 wrong usage, 4 the process did not end well."
    })
public final class WatchingCommand implements Callable<Integer> {

  private static final List<String> FLAGS =
      List.of("-Xms512m", "-Xmx512m", "-XX:MaxDirectMemorySize=4g");
  private static final int LEAST_PAIRS = 10;
  private static final int MOST_PAIRS = 1000;
  private static final int LEAST_KEYS = 1000;

  @Spec private CommandSpec spec;

  @Option(
      names = "--pairs",
      paramLabel = "N",
      defaultValue = "40",
      description = "10 to 1000; default ${DEFAULT-VALUE}.")
  private int pairs;

  @Option(
      names = "--num",
      paramLabel = "N",
      defaultValue = "1000000",
      description = "Keys, all written and read in each turn; default ${DEFAULT-VALUE}.")
  private int keys;

  @Option(
      names = "--seed",
      paramLabel = "N",
      defaultValue = "42",
      description = "Decides keys; default ${DEFAULT-VALUE}.")
  private long seed;

  @Override
  public Integer call() throws IOException, InterruptedException {
    PrintWriter out = spec.commandLine().getOut();
    PrintWriter err = spec.commandLine().getErr();
    if (pairs < LEAST_PAIRS || pairs > MOST_PAIRS || keys < LEAST_KEYS) {
      err.println(
          "--pairs ("
              + pairs
              + ") must be in "
              + LEAST_PAIRS
              + ".."
              + MOST_PAIRS
              + ", --num ("
              + keys
              + ") at least "
              + LEAST_KEYS);
      err.println("Nothing was started. See: java -jar coppice-bench.jar watching --help");
      return ExitCode.USAGE;
    }
    out.println(Machine.now().line());
    out.println(pairs + " pairs of " + keys + " writes and reads, seed " + seed);
    out.println();
    List<Costs> on = new ArrayList<>();
    List<Costs> off = new ArrayList<>();
    if (!measure(on, off, err)) {
      return ExitCode.INCOMPLETE;
    }
    out.println(
        "row                            on       off   unit     on / off                  bar");
    row(out, "analyser_cpu_fill", "ns", "1.01", on, off, Costs::fillNanos);
    row(out, "analyser_cpu_read", "ns", "1.02", on, off, Costs::readNanos);
    difference(out, "analyser_bytes_per_fill", on, off, Costs::fillBytes);
    difference(out, "analyser_bytes_per_read", on, off, Costs::readBytes);
    return ExitCode.DONE;
  }

  /** Fills in the costs of all turns; false once it is told why there are none. */
  private boolean measure(List<Costs> on, List<Costs> off, PrintWriter err)
      throws IOException, InterruptedException {
    Path directory = Path.of("target", "bench", "watching").toAbsolutePath();
    Files.createDirectories(directory.getParent());
    ProgressLine progress = new ProgressLine(err, System.console() != null, 1, 1, System::nanoTime);
    progress.begin("watching");
    ChildJava.Ended ended =
        new ChildJava(
                directory,
                FLAGS,
                WatchingProcess.class,
                List.of(
                    directory.toString(),
                    Integer.toString(keys),
                    Integer.toString(pairs),
                    Long.toString(seed)))
            .run(
                line -> {
                  String[] words = line.split(" ", 2);
                  switch (words[0]) {
                    case "at" -> {
                      String[] turns = words[1].split(" ");
                      progress.at(
                          "pairs", Double.parseDouble(turns[0]) / Double.parseDouble(turns[1]));
                    }
                    case WatchingProcess.ON -> on.add(Costs.of(words[1]));
                    case WatchingProcess.OFF -> off.add(Costs.of(words[1]));
                    default -> throw new IOException("not understood: " + line);
                  }
                });
    progress.erase();
    if (ended.code() == 0 && on.size() == pairs && off.size() == pairs) {
      return true;
    }
    err.println("the process ended with code " + ended.code() + ":");
    err.println(ended.errors());
    return false;
  }

  private static void row(
      PrintWriter out,
      String id,
      String unit,
      String bar,
      List<Costs> on,
      List<Costs> off,
      ToDoubleFunction<Costs> what) {
    double[] ratios = new double[on.size()];
    for (int i = 0; i < ratios.length; i++) {
      ratios[i] = what.applyAsDouble(on.get(i)) / what.applyAsDouble(off.get(i));
    }
    MedianInterval interval = MedianInterval.of(ratios);
    out.printf(
        Locale.ROOT,
        "%-24s %9.1f %9.1f   %-4s %6.3f (95 %% %.3f...%.3f)  %s%n",
        id,
        median(on, what),
        median(off, what),
        unit,
        Spread.of(ratios).median(),
        interval.low(),
        interval.high(),
        bar);
  }

  private static void difference(
      PrintWriter out, String id, List<Costs> on, List<Costs> off, ToDoubleFunction<Costs> what) {
    double more = median(on, what) - median(off, what);
    out.printf(
        Locale.ROOT,
        "%-24s %9.1f %9.1f   %-4s %+6.1f                      %s%n",
        id,
        median(on, what),
        median(off, what),
        "B",
        more,
        "0 more");
  }

  private static double median(List<Costs> of, ToDoubleFunction<Costs> what) {
    return Spread.of(of.stream().mapToDouble(what).toArray()).median();
  }
}
