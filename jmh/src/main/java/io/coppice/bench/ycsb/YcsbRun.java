// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.bench.ycsb;

import static io.coppice.bench.report.Texts.text;

import io.coppice.bench.report.Records;
import io.coppice.bench.store.ResourceCheck;
import io.coppice.bench.suite.ChildJava;
import io.coppice.bench.suite.Directories;
import io.coppice.bench.suite.RunFailedException;
import io.coppice.bench.suite.SavedResult;
import io.coppice.bench.suite.SavedResults;
import io.coppice.bench.suite.WrongAnswerException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;

/**
 * Runner of YCSB's own client, with a process for each load and each workload, because the client
 * ends its JVM. The order is the one that YCSB prescribes: load, A, B, C, F, D, then remove all
 * data, load, E.
 *
 * @param data directory of the stores, for exclusive use
 */
public record YcsbRun(Path data, SavedResults kept, List<YcsbWorkload> workloads) {

  private static final String WORKLOAD = "site.ycsb.workloads.CoreWorkload";
  private static final String EXPORTER =
      "site.ycsb.measurements.exporter.JSONArrayMeasurementsExporter";
  private static final String PREFIX = "ycsb-";

  /** Number of loads: before the first workload and before the last. */
  private static final int LOADS = 2;

  private static final long MEMTABLES = 3;

  /** Size of a record in bytes: ten fields of 100 bytes, their names and the key. */
  private static final long RECORD_BYTES = 1_100;

  private static final long CACHE_BYTES = 64L << 20;
  private static final long DIRECT_BESIDE = 512L << 20;

  /** Number of warm-up operations, as for other benchmarks; fewer if there are fewer records. */
  private static final int WARM_UP = 200_000;

  private static final double NANOS = 1e9;

  /**
   * Properties that make YCSB derive each value from key and field, so that the client can compare
   * values.
   */
  private static final String COMPARED = "dataintegrity=true";

  /** Prepares a run of all workloads. */
  public YcsbRun(Path data, SavedResults kept) {
    this(data, kept, List.of(YcsbWorkload.values()));
  }

  /**
   * Removes the saved results of YCSB from an interrupted run, and leaves those of other loads.
   *
   * @param kept directory of the saved results, which may be missing
   * @throws IOException if a file cannot be deleted
   */
  public static void forget(Path kept) throws IOException {
    if (Files.exists(kept)) {
      for (Path file : Directories.files(kept, PREFIX + "*")) {
        Files.delete(file);
      }
    }
  }

  /**
   * Checks before the first measurement that the machine has the disk space and memory for all of
   * them.
   *
   * @throws RunFailedException if it has not
   */
  public static void requireRoom(List<YcsbCell> cells, Path target)
      throws IOException, RunFailedException {
    for (YcsbCell cell : cells) {
      long disk = ResourceCheck.peakBytes(cell.records() * RECORD_BYTES);
      RunFailedException.require(
          ResourceCheck.lacking(disk, memory(cell), target)
              .map(lacking -> "ycsb " + cell.store().label() + ": " + lacking));
    }
  }

  /** Returns the expected seconds of all measurements on a machine of nominal speed. */
  public static double seconds(List<YcsbCell> cells) {
    return cells.stream().mapToDouble(YcsbCell::seconds).sum();
  }

  /**
   * Makes all measurements and returns their results.
   *
   * @throws RunFailedException if a client failed or read other data than was written; results of
   *     earlier measurements are saved
   */
  public YcsbResults run(List<YcsbCell> cells)
      throws IOException, InterruptedException, RunFailedException {
    YcsbResults results = new YcsbResults();
    for (YcsbCell cell : cells) {
      String name = PREFIX + cell.store().label().replace(':', '_') + "-" + cell.round();
      SavedResult file = kept.file(name, cell.text() + " " + workloads);
      kept.get(file, cell.seconds(), Kept.class, () -> new Kept(run(cell)))
          .figures
          .forEach((workload, figures) -> results.add(cell.store(), workload, figures));
    }
    return results;
  }

  private record Kept(Map<YcsbWorkload, YcsbFigures> figures) {}

  private Map<YcsbWorkload, YcsbFigures> run(YcsbCell cell)
      throws IOException, InterruptedException, RunFailedException {
    Map<YcsbWorkload, YcsbFigures> found = new EnumMap<>(YcsbWorkload.class);
    boolean compared = cell.isCompared() && workloads.contains(YcsbWorkload.A);
    int parts = workloads.size() + LOADS + (compared ? YcsbCell.COMPARING : 0);
    kept.progress().begin(name(cell), parts, cell.seconds());
    try {
      if (compared) {
        compare(cell);
      }
      for (YcsbWorkload workload : workloads) {
        if (workload == YcsbWorkload.A || workload == YcsbWorkload.E) {
          Directories.delete(data);
          client(cell, workload, true);
        }
        found.put(workload, client(cell, workload, false));
      }
      return found;
    } catch (WrongAnswerException e) {
      throw new RunFailedException(
          "wrong answer of " + cell.store().label() + ": " + e.getMessage(), true);
    } finally {
      Directories.delete(data);
    }
  }

  /**
   * Loads fewer records than the measurement, and runs a workload of reads and updates whose client
   * compares each value that it reads.
   */
  private void compare(YcsbCell cell) throws IOException, InterruptedException, RunFailedException {
    int records = Math.max(1, cell.records() / YcsbCell.COMPARED_PART);
    YcsbCell fewer = Records.with(cell, "records", records);
    Directories.delete(data);
    client(fewer, YcsbWorkload.A, true, COMPARED);
    client(fewer, YcsbWorkload.A, false, COMPARED);
  }

  private YcsbFigures client(YcsbCell cell, YcsbWorkload workload, boolean load, String... more)
      throws IOException, InterruptedException, RunFailedException {
    String name = name(cell);
    kept.progress().at((load ? "load " : "run ") + workload, 0.0);
    Files.createDirectories(data);
    Path exported = data.resolve("figures.json");
    // The client ends with 0 whatever happened to it; an earlier one's figures are not its own.
    Files.deleteIfExists(exported);
    long[] waited = {0};
    long[] beside = {0};
    ChildJava.Ended ended =
        new ChildJava(
                data,
                flags(cell),
                site.ycsb.Client.class,
                words(cell, workload, load, exported, more))
            .run(
                line -> {
                  if (line.startsWith(RecordBinding.WAITED)) {
                    waited[0] = Long.parseLong(line.substring(RecordBinding.WAITED.length()));
                  } else if (line.startsWith(RecordBinding.BESIDE)) {
                    beside[0] = Long.parseLong(line.substring(RecordBinding.BESIDE.length()));
                  }
                });
    if (ended.code() != 0 || !Files.exists(exported)) {
      throw new RunFailedException(
          name + " ended with code " + ended.code() + ":\n" + ended.errors(), false);
    }
    YcsbFigures figures = YcsbFigures.of(exported, beside[0] / NANOS, waited[0] / NANOS);
    int wanted = load ? cell.records() : workload.operations(cell.records());
    if (figures.operations() != wanted) {
      throw new RunFailedException(
          text(
              "%s did %.0f of the %d operations of %s:%n%s",
              name,
              figures.operations(),
              wanted,
              (load ? "load " : "run ") + workload,
              ended.errors()),
          false);
    }
    kept.progress().partDone();
    return figures;
  }

  private static String name(YcsbCell cell) {
    return "ycsb " + cell.store().label() + " round " + cell.round();
  }

  private static long memory(YcsbCell cell) {
    return MEMTABLES * cell.memtableBytes() + CACHE_BYTES;
  }

  private List<String> flags(YcsbCell cell) {
    return List.of(
        "-Xms1g",
        "-Xmx1g",
        "-XX:+UseG1GC",
        "-XX:MaxDirectMemorySize=" + (memory(cell) + DIRECT_BESIDE),
        "-Djava.io.tmpdir=" + data);
  }

  private List<String> words(
      YcsbCell cell, YcsbWorkload workload, boolean load, Path exported, String... more) {
    List<String> words = new ArrayList<>(List.of(load ? "-load" : "-t"));
    words.addAll(List.of("-db", cell.binding().getName()));
    List<String> properties = new ArrayList<>(workload.properties());
    properties.addAll(List.of(more));
    properties.addAll(
        List.of(
            "workload=" + WORKLOAD,
            "exporter=" + EXPORTER,
            "exportfile=" + exported,
            "measurementtype=hdrhistogram",
            "measurement.interval=both",
            "recordcount=" + cell.records(),
            "operationcount=" + workload.operations(cell.records()),
            "threadcount=" + cell.threads(),
            RecordBinding.WARM_UP + "=" + Math.min(WARM_UP, cell.records()),
            RecordBinding.DIRECTORY + "=" + data.resolve("store"),
            RecordBinding.POLICY + "=" + cell.store().policy(),
            RecordBinding.MEMTABLE + "=" + cell.memtableBytes(),
            RecordBinding.MEMORY + "=" + memory(cell)));
    properties.forEach(property -> words.addAll(List.of("-p", property)));
    return words;
  }
}
