// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.bench.engine;

import io.coppice.bench.Directories;
import io.coppice.bench.ExitCode;
import io.coppice.bench.suite.ChildJava;
import io.coppice.bench.suite.Machine;
import io.coppice.bench.suite.Sizes;
import io.coppice.policy.PolicySpec;
import io.coppice.policy.PolicySpecException;
import io.coppice.workload.Keys;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** The command {@code space}: how much disk merges take for a moment, by cleaning threshold. */
@Command(
    name = "space",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    description = {
      "Watches the disk while a store is filled, with early cleaning and without.",
      "Watches the disk while a store is filled, with early cleaning after so many tables and with",
      "none, in turn, each in a process of its own. Every 100 ms all files are counted. A last merge",
      "of everything shows what early cleaning costs: merge MB/s, and its ratio to the last threshold",
      "of the list in the same round."
    },
    footer = {
      "",
      "Example: java -jar coppice-bench.jar space --data=10GiB --rounds=1",
      "Exit codes: 0 done, 2 wrong usage, 4 a process did not end well."
    })
public final class SpaceCommand implements Callable<Integer> {

  private static final List<String> FLAGS =
      List.of("-Xms512m", "-Xmx512m", "-XX:MaxDirectMemorySize=8g");
  private static final int MIB = 1 << 20;

  @Spec private CommandSpec spec;

  @Option(
      names = "--data",
      paramLabel = "SIZE",
      defaultValue = "1GiB",
      description = "Bytes of all keys with their values; default ${DEFAULT-VALUE}.")
  private String data;

  @Option(
      names = "--value_size",
      paramLabel = "BYTES",
      defaultValue = "400",
      description = "Of each value, 16 to 1048576; default ${DEFAULT-VALUE}. A key has 16.")
  private int valueBytes;

  @Option(
      names = "--memtable_size",
      paramLabel = "SIZE",
      defaultValue = "16MiB",
      description = "Default ${DEFAULT-VALUE}.")
  private String memtable;

  @Option(
      names = "--policy",
      paramLabel = "TEXT",
      defaultValue = "split-forest,table_size=2MiB",
      description = "Without a cleaning threshold; default ${DEFAULT-VALUE}.")
  private String policy;

  @Option(
      names = "--thresholds",
      paramLabel = "N,...",
      split = ",",
      defaultValue = "10,1,0",
      description = "Tables after which a merge cleans, 0 for never; default ${DEFAULT-VALUE}.")
  private List<Integer> thresholds;

  @Option(
      names = "--loads",
      paramLabel = "NAME,...",
      split = ",",
      defaultValue = "permutation,overwrite",
      description = {
        "permutation: every key once, in random order. overwrite: three times as many writes as",
        "keys. Default both."
      })
  private List<String> loads;

  @Option(
      names = "--rounds",
      paramLabel = "N",
      defaultValue = "2",
      description = "How often the thresholds are gone through; default ${DEFAULT-VALUE}.")
  private int rounds;

  @Option(
      names = "--seed",
      paramLabel = "N",
      defaultValue = "42",
      description = "Decides keys and values; default ${DEFAULT-VALUE}.")
  private long seed;

  private final List<String> faults = new ArrayList<>();

  @Override
  public Integer call() throws IOException, InterruptedException {
    PrintWriter out = spec.commandLine().getOut();
    PrintWriter err = spec.commandLine().getErr();
    long dataBytes = Sizes.parse("--data", data, 1L << 20, 1L << 42, faults);
    long memtableBytes = Sizes.parse("--memtable_size", memtable, 1L << 20, 2L << 30, faults);
    List<SpaceLoad> chosen = check(dataBytes);
    if (!faults.isEmpty()) {
      faults.forEach(err::println);
      err.println("Nothing was started. See: java -jar coppice-bench.jar space --help");
      return ExitCode.USAGE;
    }
    long entries = dataBytes / (Keys.BYTES + valueBytes);
    out.printf(
        Locale.ROOT,
        "%,d keys of %d + %d B, %s, memtable %s, 1 merge slot, log unsynced, seed %d%n%s%n%n",
        entries,
        Keys.BYTES,
        valueBytes,
        policy,
        memtable,
        seed,
        Machine.now().line());
    out.println(
        "load        clean after  write s  settled s  peak MiB  live MiB  peak/live"
            + "  transient MiB  bound MiB  runs    WA  merge MB/s  ratio");
    for (int round = 0; round < rounds; round++) {
      for (SpaceLoad load : chosen) {
        List<Space> row = new ArrayList<>();
        for (int threshold : thresholds) {
          Space found = measure(load, threshold, entries, memtableBytes, err);
          if (found == null) {
            return ExitCode.INCOMPLETE;
          }
          row.add(found);
        }
        for (int i = 0; i < row.size(); i++) {
          print(out, load, thresholds.get(i), row.get(i), row.get(row.size() - 1).mergeRate());
        }
      }
    }
    out.println();
    out.println(
        "bound = (tables after which a merge cleans + runs in it) x table size, for each merge slot;"
            + " a memtable that is being flushed may add to the transient figure; merge MB/s -: all was"
            + " in one run already");
    return ExitCode.DONE;
  }

  private List<SpaceLoad> check(long dataBytes) {
    List<SpaceLoad> chosen = new ArrayList<>();
    for (String load : loads) {
      try {
        chosen.add(SpaceLoad.valueOf(load.toUpperCase(Locale.ROOT)));
      } catch (IllegalArgumentException e) {
        faults.add("--loads (" + load + ") must be permutation or overwrite");
      }
    }
    if (valueBytes < 16 || valueBytes > MIB) {
      faults.add("--value_size (" + valueBytes + ") must be in 16..1048576");
    } else if (dataBytes / (Keys.BYTES + valueBytes) > Integer.MAX_VALUE) {
      faults.add("--data (" + data + ") must be of at most " + Integer.MAX_VALUE + " keys");
    }
    if (rounds < 1 || rounds > 99) {
      faults.add("--rounds (" + rounds + ") must be in 1..99");
    }
    for (int threshold : thresholds) {
      try {
        PolicySpec.parse(policy(threshold));
      } catch (PolicySpecException e) {
        e.errors().forEach(error -> faults.add("--policy or --thresholds: " + error));
      }
    }
    return chosen;
  }

  private String policy(int threshold) {
    return policy + ",cleaning_threshold=" + threshold;
  }

  private Space measure(
      SpaceLoad load, int threshold, long entries, long memtableBytes, PrintWriter err)
      throws IOException, InterruptedException {
    Path directory = Path.of("target", "bench", "space").toAbsolutePath();
    Directories.delete(directory);
    Files.createDirectories(directory.getParent());
    ChildJava child =
        new ChildJava(
            directory,
            FLAGS,
            SpaceProcess.class,
            List.of(
                directory.toString(),
                load.name(),
                Long.toString(entries),
                Integer.toString(valueBytes),
                Long.toString(memtableBytes),
                policy,
                Long.toString(seed),
                Integer.toString(threshold)));
    String name = load.label() + ", clean after " + threshold;
    try {
      return child.result(name, err).map(Space::parse).orElse(null);
    } finally {
      Directories.delete(directory);
    }
  }

  private static void print(
      PrintWriter out, SpaceLoad load, int threshold, Space found, double baseRate) {
    out.printf(
        Locale.ROOT,
        "%-11s %11s  %7.1f  %9.1f  %8.1f  %8.1f  %9.3f  %13.1f  %9s  %4d  %4.1f  %10s  %5s%n",
        load.label(),
        threshold == 0 ? "never" : Integer.toString(threshold),
        found.writeSeconds(),
        found.settledSeconds(),
        (double) found.peak() / MIB,
        (double) found.live() / MIB,
        found.peakOverLive(),
        (double) found.transientPeak() / MIB,
        found.bound() == 0 ? "-" : String.format(Locale.ROOT, "%.1f", (double) found.bound() / MIB),
        found.runs(),
        found.writeAmplification(),
        found.mergeRate() == 0 ? "-" : String.format(Locale.ROOT, "%.1f", found.mergeRate() / 1e6),
        found.mergeRate() == 0 || baseRate == 0
            ? "-"
            : String.format(Locale.ROOT, "%.2f", found.mergeRate() / baseRate));
    out.flush();
  }
}
