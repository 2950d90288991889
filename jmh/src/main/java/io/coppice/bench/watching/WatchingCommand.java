// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.bench.watching;

import io.coppice.bench.ExitCode;
import io.coppice.bench.suite.ChildJava;
import io.coppice.bench.suite.Machine;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
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
      "Writes and reads keys in random order, in turn in a store that is watched (counters, samples,",
      "an adaptive policy that never switches, beans asked for everything once a second) and in one",
      "that counts nothing under the same policy; each in a process of its own. A pair is one of",
      "each, and every other pair begins with the other. Processor time is that of the process, with",
      "its flushes, merges, compiler and collector; bytes are what the working thread allocated."
    },
    footer = {
      "",
      "Example: java -jar coppice-bench.jar watching --pairs=10",
      "Exit codes: 0 done, 2 wrong usage, 4 a process did not end well."
    })
public final class WatchingCommand implements Callable<Integer> {

  private static final List<String> FLAGS =
      List.of("-Xms512m", "-Xmx512m", "-XX:MaxDirectMemorySize=4g");
  private static final int MOST_PAIRS = 1000;
  private static final int LEAST_KEYS = 1000;

  @Spec private CommandSpec spec;

  @Option(
      names = "--pairs",
      paramLabel = "N",
      defaultValue = "10",
      description = "1 to 1000; default ${DEFAULT-VALUE}.")
  private int pairs;

  @Option(
      names = "--num",
      paramLabel = "N",
      defaultValue = "5000000",
      description = "Writes, and as many reads, of each process; default ${DEFAULT-VALUE}.")
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
    if (pairs < 1 || pairs > MOST_PAIRS || keys < LEAST_KEYS) {
      err.println("--pairs must be in 1.." + MOST_PAIRS + ", --num at least " + LEAST_KEYS);
      err.println("Nothing was started. See: java -jar coppice-bench.jar watching --help");
      return ExitCode.USAGE;
    }
    out.println(Machine.now().line());
    out.println(pairs + " pairs of " + keys + " writes and reads, seed " + seed);
    out.println();
    List<Costs> on = new ArrayList<>();
    List<Costs> off = new ArrayList<>();
    for (int pair = 0; pair < pairs; pair++) {
      boolean first = pair % 2 == 0;
      for (boolean watched : new boolean[] {first, !first}) {
        Optional<Costs> costs = process(watched, pair, err);
        if (costs.isEmpty()) {
          return ExitCode.INCOMPLETE;
        }
        (watched ? on : off).add(costs.get());
      }
    }
    out.println("row                            on       off   unit     on / off          bar");
    row(out, "analyser_cpu_fill", "ns", "1.01", on, off, Costs::fillNanos);
    row(out, "analyser_cpu_read", "ns", "1.02", on, off, Costs::readNanos);
    difference(out, "analyser_bytes_per_fill", on, off, Costs::fillBytes);
    difference(out, "analyser_bytes_per_read", on, off, Costs::readBytes);
    return ExitCode.DONE;
  }

  private Optional<Costs> process(boolean watched, int pair, PrintWriter err)
      throws IOException, InterruptedException {
    Path directory = Path.of("target", "bench", "watching").toAbsolutePath();
    Files.createDirectories(directory.getParent());
    String which = watched ? WatchingProcess.ON : WatchingProcess.OFF;
    List<String> arguments =
        List.of(which, directory.toString(), Integer.toString(keys), Long.toString(seed + pair));
    return new ChildJava(directory, FLAGS, WatchingProcess.class, arguments)
        .result("pair " + (pair + 1) + " of " + pairs + ", " + which, err)
        .map(Costs::of);
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
    Arrays.sort(ratios);
    out.printf(
        Locale.ROOT,
        "%-24s %9.1f %9.1f   %-4s %6.3f (%.3f...%.3f)  %s%n",
        id,
        median(on, what),
        median(off, what),
        unit,
        middle(ratios),
        ratios[0],
        ratios[ratios.length - 1],
        bar);
  }

  private static void difference(
      PrintWriter out, String id, List<Costs> on, List<Costs> off, ToDoubleFunction<Costs> what) {
    double more = median(on, what) - median(off, what);
    out.printf(
        Locale.ROOT,
        "%-24s %9.1f %9.1f   %-4s %+6.1f                 %s%n",
        id,
        median(on, what),
        median(off, what),
        "B",
        more,
        "0 more");
  }

  private static double median(List<Costs> of, ToDoubleFunction<Costs> what) {
    return middle(of.stream().mapToDouble(what).sorted().toArray());
  }

  /** Of an even number the mean of both in the middle. */
  private static double middle(double[] sorted) {
    int half = sorted.length / 2;
    return sorted.length % 2 == 1 ? sorted[half] : (sorted[half - 1] + sorted[half]) / 2;
  }
}
