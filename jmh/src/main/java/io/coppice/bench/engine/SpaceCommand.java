// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.bench.engine;

import static io.coppice.bench.suite.Texts.text;

import io.coppice.bench.BenchExitCode;
import io.coppice.bench.Directories;
import io.coppice.bench.suite.BenchmarkCommand;
import io.coppice.bench.suite.ChildJava;
import io.coppice.bench.suite.Machine;
import io.coppice.bench.suite.OptionReader;
import io.coppice.workload.BenchmarkKeys;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import picocli.CommandLine.Command;

/** The command {@code space}: how much disk merges take for a moment, by cleaning threshold. */
@Command(
    name = "space",
    sortOptions = false,
    description = {
      "Measures the disk while a store is filled, with and without early cleaning.",
      "Fills one store per cleaning threshold, in turn, each in a process of its own, and adds the",
      "sizes of all files every 100 ms. A last merge of everything shows the cost of early cleaning:",
      "merge MB/s, and its ratio to the last threshold of the list in the same round."
    },
    footer = {
      "",
      "Example: java -jar coppice-bench.jar space --data=10GiB --rounds=1",
      "Exit codes: 0 done, 2 wrong usage, 4 a process did not end well."
    })
public final class SpaceCommand extends BenchmarkCommand {

  private static final List<String> FLAGS =
      List.of("-Xms512m", "-Xmx512m", "-XX:MaxDirectMemorySize=8g");
  private static final Path DIRECTORY = Path.of("target", "bench", "space").toAbsolutePath();
  private static final double MIB = 1 << 20;

  @Override
  protected int run(Map<String, String> given, List<String> unknown) throws Exception {
    OptionReader reader = reader(given, unknown);
    long dataBytes = reader.size("data", "", 1L << 20, 1L << 42);
    int valueBytes = (int) reader.number("value_size", 0, 16, 1 << 20);
    long entries = dataBytes / (BenchmarkKeys.BYTES + valueBytes);
    if (entries > Integer.MAX_VALUE) {
      reader.fault("--data (%s) must be of at most %d keys", given.get("data"), Integer.MAX_VALUE);
    }
    List<String> loads = reader.listOf("loads", SpaceProcess.PERMUTATION, "overwrite");
    List<SpaceProcess.Task> tasks = new ArrayList<>();
    for (String load : loads) {
      for (String threshold : reader.list("thresholds", "")) {
        tasks.add(
            new SpaceProcess.Task(
                DIRECTORY,
                load,
                (int) entries,
                valueBytes,
                reader.size("memtable_size", "", 1L << 20, 2L << 30),
                given.get("policy"),
                reader.seed(),
                reader.whole("thresholds", threshold, 0, Integer.MAX_VALUE)));
      }
    }
    tasks.forEach(task -> reader.policy("policy or --thresholds", task.wholePolicy()));
    long rounds = reader.number("rounds", 0, 1, 99);
    reader.check();
    line(
        "%,d keys of %d + %d B, %s, memtable %s, 1 merge slot, log unsynced, seed %d%n%s%n",
        entries,
        BenchmarkKeys.BYTES,
        valueBytes,
        given.get("policy"),
        given.get("memtable_size"),
        reader.seed(),
        Machine.now().line());
    line(
        "load        clean after  write s  settled s  peak MiB  live MiB  peak/live"
            + "  transient MiB  bound MiB  runs    WA  merge MB/s  ratio");
    for (int round = 0; round < rounds; round++) {
      for (String load : loads) {
        if (!measure(tasks.stream().filter(task -> task.load().equals(load)).toList())) {
          return BenchExitCode.INCOMPLETE;
        }
      }
    }
    line("");
    line(
        "bound = (tables after which a merge cleans + runs in it) x table size, for each merge"
            + " slot; a memtable that is being flushed may add to the transient figure; merge"
            + " MB/s -: all was in one run already");
    return BenchExitCode.DONE;
  }

  /** Measures each threshold, and prints them beside the last. */
  private boolean measure(List<SpaceProcess.Task> tasks) throws IOException, InterruptedException {
    List<Space> row = new ArrayList<>();
    for (SpaceProcess.Task task : tasks) {
      String name = task.load() + ", clean after " + task.cleaningThreshold();
      Directories.delete(DIRECTORY);
      try {
        Optional<Space> found =
            new ChildJava(DIRECTORY, FLAGS, task).result(Space.class, name, err());
        if (found.isEmpty()) {
          return false;
        }
        row.add(found.get());
      } finally {
        Directories.delete(DIRECTORY);
      }
    }
    for (int i = 0; i < row.size(); i++) {
      print(tasks.get(i), row.get(i), row.get(row.size() - 1).mergeRate());
    }
    return true;
  }

  private void print(SpaceProcess.Task task, Space found, double baseRate) {
    line(
        "%-11s %11s  %7.1f  %9.1f  %8.1f  %8.1f  %9.3f  %13.1f  %9s  %4d  %4.1f  %10s  %5s",
        task.load(),
        task.cleaningThreshold() == 0 ? "never" : task.cleaningThreshold(),
        found.writeSeconds(),
        found.settledSeconds(),
        found.peak() / MIB,
        found.live() / MIB,
        found.peakOverLive(),
        found.transientPeak() / MIB,
        orDash("%.1f", found.bound() / MIB),
        found.runs(),
        found.writeAmplification(),
        orDash("%.1f", found.mergeRate() / 1e6),
        orDash("%.2f", baseRate == 0 ? 0 : found.mergeRate() / baseRate));
  }

  private static String orDash(String format, double figure) {
    return figure == 0 ? "-" : text(format, figure);
  }
}
