// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.bench.engine;

import io.coppice.bench.Directories;
import io.coppice.bench.ExitCode;
import io.coppice.bench.suite.ChildJava;
import io.coppice.bench.suite.Machine;
import io.coppice.bench.suite.Sizes;
import io.coppice.workload.Keys;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** The command {@code recovery}: how long a store takes to open after a crash. */
@Command(
    name = "recovery",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    description = {
      "Measures how long a store takes to open after its process was halted.",
      "Writes until the log has a size, halts the process, and opens the store in another one; for",
      "each size of value, of log, and of the tables that lie there already. The log is still in the",
      "page cache, as it is after the end of a process."
    },
    footer = {
      "",
      "Example: java -jar coppice-bench.jar recovery --logs=256MiB,1GiB --tables=0B,4GiB",
      "Exit codes: 0 done, 2 wrong usage, 4 a process did not end well."
    })
public final class RecoveryCommand implements Callable<Integer> {

  private static final List<String> FLAGS =
      List.of("-Xms512m", "-Xmx512m", "-XX:MaxDirectMemorySize=8g");
  private static final double GIGA = 1e9;

  /** Of shorter logs opening takes as long as of none. */
  private static final long LEAST_LOG_BYTES = 1 << 20;

  @Spec private CommandSpec spec;

  @Option(
      names = "--logs",
      paramLabel = "SIZE,...",
      split = ",",
      defaultValue = "64MiB,256MiB,1GiB",
      description = "Bytes of the log; default ${DEFAULT-VALUE}.")
  private List<String> logs;

  @Option(
      names = "--value_sizes",
      paramLabel = "BYTES,...",
      split = ",",
      defaultValue = "100,4096",
      description = "Of each value, 16 to 1048576; default ${DEFAULT-VALUE}. A key has 16.")
  private List<Integer> valueSizes;

  @Option(
      names = "--tables",
      paramLabel = "SIZE,...",
      split = ",",
      defaultValue = "0B,1GiB",
      description = "Bytes of keys and values in tables before; default ${DEFAULT-VALUE}.")
  private List<String> tables;

  @Option(
      names = "--memtable_size",
      paramLabel = "SIZE",
      description = "Default: so large that the whole log belongs to one.")
  private String memtable;

  @Option(
      names = "--policy",
      paramLabel = "TEXT",
      defaultValue = RecoveryProcess.POLICY,
      description =
          "Policy and options, such as small tables to have many; default ${DEFAULT-VALUE}.")
  private String policy;

  private final List<String> faults = new ArrayList<>();

  @Override
  public Integer call() throws IOException, InterruptedException {
    PrintWriter out = spec.commandLine().getOut();
    PrintWriter err = spec.commandLine().getErr();
    List<Long> logBytes =
        logs.stream().map(text -> Sizes.parse("--logs", text, 1, 4L << 30, faults)).toList();
    List<Long> tableBytes =
        tables.stream().map(text -> Sizes.parse("--tables", text, 0, 1L << 42, faults)).toList();
    long memtableBytes =
        memtable == null ? 0 : Sizes.parse("--memtable_size", memtable, 1 << 20, 8L << 30, faults);
    for (int valueBytes : valueSizes) {
      if (valueBytes < 16 || valueBytes > 1 << 20) {
        faults.add("--value_sizes (" + valueBytes + ") must be in 16..1048576");
      }
    }
    if (!faults.isEmpty()) {
      faults.forEach(err::println);
      err.println("Nothing was started. See: java -jar coppice-bench.jar recovery --help");
      return ExitCode.USAGE;
    }
    out.println(Machine.now().line());
    out.println();
    out.println("value B   log MB  tables  tables MB  open s  processor s  s/GB of log");
    for (int valueBytes : valueSizes) {
      for (long log : logBytes) {
        for (long present : tableBytes) {
          // A memtable holds an entry with some dozen bytes around it.
          long fitting = Math.max(1L << 20, log + log * 64 / (valueBytes + Keys.BYTES));
          long memtableSize = memtableBytes == 0 ? fitting : memtableBytes;
          if (!measure(valueBytes, log, present, memtableSize, out, err)) {
            return ExitCode.INCOMPLETE;
          }
        }
      }
    }
    out.println();
    out.println("s/GB -: the log was flushed before the process was halted");
    return ExitCode.DONE;
  }

  private boolean measure(
      int valueBytes, long log, long present, long memtableBytes, PrintWriter out, PrintWriter err)
      throws IOException, InterruptedException {
    Path directory = Path.of("target", "bench", "recovery").toAbsolutePath();
    Directories.delete(directory);
    Files.createDirectories(directory.getParent());
    try {
      List<String> load =
          List.of(
              directory.toString(),
              Long.toString(log),
              Integer.toString(valueBytes),
              Long.toString(present),
              Long.toString(memtableBytes),
              policy);
      String name = valueBytes + " B, log " + (log >> 20) + " MiB";
      if (process("write", load, directory).result(name, err).isEmpty()) {
        return false;
      }
      Optional<String> opened = process("open", load, directory).result(name + ", open", err);
      opened.ifPresent(line -> print(out, valueBytes, line));
      return opened.isPresent();
    } finally {
      Directories.delete(directory);
    }
  }

  private static ChildJava process(String task, List<String> load, Path directory) {
    List<String> arguments = new ArrayList<>(List.of(task));
    arguments.addAll(load);
    return new ChildJava(directory, FLAGS, RecoveryProcess.class, arguments);
  }

  private static void print(PrintWriter out, int valueBytes, String line) {
    String[] figures = line.replaceAll("[a-z]+=", "").split(" ");
    double log = Double.parseDouble(figures[0]) / GIGA;
    double seconds = Double.parseDouble(figures[1]);
    out.printf(
        Locale.ROOT,
        "%7d  %7.1f  %6s  %9.1f  %6.2f  %11.2f  %11s%n",
        valueBytes,
        log * 1000,
        figures[4],
        Double.parseDouble(figures[3]) / 1e6,
        seconds,
        Double.parseDouble(figures[2]),
        // What remains of a log that was flushed says nothing of replay.
        log * GIGA < LEAST_LOG_BYTES ? "-" : String.format(Locale.ROOT, "%.2f", seconds / log));
    out.flush();
  }
}
