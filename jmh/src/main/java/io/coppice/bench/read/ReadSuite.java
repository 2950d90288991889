// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.bench.read;

import static io.coppice.bench.suite.Texts.text;

import io.coppice.bench.Directories;
import io.coppice.bench.engine.ResourceCheck;
import io.coppice.bench.suite.ChildJava;
import io.coppice.bench.suite.ControlGroup;
import io.coppice.bench.suite.Machine;
import io.coppice.bench.suite.RunFailedException;
import io.coppice.bench.suite.Suite;
import io.coppice.bench.suite.SuiteReport;
import io.coppice.bench.suite.SuiteRow;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;

/** A run of the suite: loads what its rows need, measures, and makes the rows. Used once. */
public final class ReadSuite extends Suite {

  /** The suite's name, and that of its file. */
  public static final String NAME = "read";

  private static final String HEAP = "512m";
  private static final List<String> FLAGS =
      List.of("-Xms" + HEAP, "-Xmx" + HEAP, "-XX:+UseG1GC", "-XX:MaxDirectMemorySize=16g");

  /** Memtables and cache of a store, beside its heap. */
  private static final long MAX_MEMORY = 1L << 30;

  private static final double LOADED_BYTES_PER_SECOND = 30e6;

  private final ReadOptions options;
  private final Groups groups;
  private final Samples samples = new Samples();
  private final TreeMap<String, String> stores = new TreeMap<>();

  /** Source of memory groups. */
  interface Groups {

    /**
     * Creates a group.
     *
     * @throws IOException if no group is available, with the reason
     */
    ControlGroup create(long limitBytes) throws IOException;
  }

  public ReadSuite(ReadOptions options, Console console) {
    this(options, console, ControlGroup::create);
  }

  ReadSuite(ReadOptions options, Console console, Groups groups) {
    super(console, "read-data", false);
    this.groups = groups;
    this.options = options;
  }

  @Override
  protected Path[] filled() {
    return new Path[] {options.keep() ? scratch() : data};
  }

  private Path scratch() {
    return data.resolve("scratch");
  }

  /** The ids of all rows. */
  public static List<String> rowIds() {
    return ReadRows.ALL.stream().map(RowSpec::id).toList();
  }

  /** How long a run will take, roughly. */
  public static double seconds(ReadOptions options) {
    Plan plan = Plan.of(ReadRows.matching(options.rows()));
    int sides = plan.contests().stream().mapToInt(contest -> contest.sides().size()).sum();
    long bytes =
        plan.datasets().stream().mapToLong(dataset -> dataset.bytes(options.scale())).sum();
    return sides * (options.rounds() + 1) * options.seconds()
        + plan.sides() * options.rounds() * (options.seconds() + options.scale().warmUpSeconds())
        + bytes / LOADED_BYTES_PER_SECOND;
  }

  /**
   * Returns a sentence about the lacking resource; empty if none lacks. Data kept from an earlier
   * run counts as missing.
   */
  public static Optional<String> lacking(ReadOptions options, Path target) throws IOException {
    return lacking(Plan.of(ReadRows.matching(options.rows())), options, target);
  }

  private static Optional<String> lacking(Plan plan, ReadOptions options, Path target)
      throws IOException {
    long settled = 0;
    long largest = 0;
    long memory = MAX_MEMORY;
    for (Dataset dataset : plan.datasets()) {
      long bytes = dataset.bytes(options.scale());
      settled += bytes;
      if (dataset == Dataset.RUNS) {
        memory = Math.max(memory, LoadProcess.budgetOfRuns(options.scale()).capacityBytes());
      } else {
        largest = Math.max(largest, ResourceCheck.peakBytes(bytes) - bytes);
      }
    }
    // Data sets stay, and each is loaded for itself; runs are never merged.
    return ResourceCheck.lacking(settled + largest, memory, target);
  }

  @Override
  protected void measure(String command, Machine machine)
      throws IOException, InterruptedException, RunFailedException {
    List<RowSpec> rows = ReadRows.matching(options.rows());
    Plan plan = Plan.of(measurable(rows));
    RunFailedException.require(lacking(plan, options, target));
    int cellsOfRound = plan.datasets().size() + plan.contests().size() + 1;
    progress(plan.steps(options.rounds()), cellsOfRound);
    load(plan);
    measure(plan);
    progress().erase();
    List<SuiteRow> measured = rows.stream().map(this::row).toList();
    new SuiteReport(NAME, command, machine, facts(), options.rounds(), measured).print(out, target);
  }

  /**
   * Returns the rows that can be measured. Without memory groups, rows that need one are left out
   * and say so.
   */
  private List<RowSpec> measurable(List<RowSpec> rows) {
    long limit = options.scale().groupBytes();
    if (limit == 0 || rows.stream().noneMatch(RowSpec::grouped)) {
      return rows;
    }
    try {
      groups.create(limit).close();
      return rows;
    } catch (IOException e) {
      rows.stream().filter(RowSpec::grouped).forEach(row -> skip(row.on(), e));
      return rows.stream().filter(row -> !row.grouped()).toList();
    }
  }

  private void skip(String cell, IOException e) {
    samples.missing(cell + " skipped: no memory group: " + e.getMessage());
  }

  private SuiteRow row(RowSpec spec) {
    return samples
        .reason(spec.on())
        .map(reason -> SuiteRow.notMeasured(spec.id(), reason))
        .orElseGet(() -> ReadRows.row(spec, samples));
  }

  /** Requirements of the rows, without repetition. */
  private record Plan(
      Set<Dataset> datasets,
      List<Contest> contests,
      Map<ReadCell, Set<ReadSide>> cells,
      boolean counts) {

    static Plan of(List<RowSpec> rows) {
      Set<String> ids =
          rows.stream().filter(RowSpec::contest).map(RowSpec::on).collect(Collectors.toSet());
      List<Contest> contests =
          Contest.ALL.stream().filter(contest -> ids.contains(contest.id())).toList();
      Map<ReadCell, Set<ReadSide>> cells = new LinkedHashMap<>();
      for (RowSpec row : rows) {
        row.cell()
            .ifPresent(
                cell ->
                    cells
                        .computeIfAbsent(cell, key -> EnumSet.noneOf(ReadSide.class))
                        .addAll(row.sides()));
      }
      boolean counts = rows.stream().anyMatch(RowSpec::counts);
      Set<Dataset> datasets = EnumSet.noneOf(Dataset.class);
      contests.forEach(
          contest -> contest.sides().forEach(side -> datasets.add(side.variant().dataset())));
      cells.values().forEach(sides -> sides.forEach(side -> datasets.add(side.dataset())));
      if (counts) {
        datasets.addAll(List.of(Dataset.RUNS, Dataset.SHORT));
      }
      return new Plan(datasets, contests, cells, counts);
    }

    /** Returns the ids of the cells that one process measures. */
    List<String> cellsOf(ReadSide side, ReadCell.Memory memory) {
      return cells.keySet().stream()
          .filter(cell -> cell.memory() == memory && cells.get(cell).contains(side))
          .map(ReadCell::id)
          .toList();
    }

    /** Returns the number of cells, each times its sides. */
    int sides() {
      return cells.values().stream().mapToInt(Set::size).sum();
    }

    List<Contest> contests(boolean cold) {
      return contests.stream().filter(contest -> contest.cold() == cold).toList();
    }

    /** For the bar: a data set, a contest in a round, a cell, the counts. */
    int steps(int rounds) {
      return datasets.size() + contests.size() * (rounds + 1) + sides() * rounds + (counts ? 1 : 0);
    }
  }

  private void load(Plan plan) throws IOException, InterruptedException, RunFailedException {
    String wanted = "scale=%s seed=%d%n".formatted(options.scale().label(), options.seed());
    Path mark = data.resolve("loaded");
    if (!options.keep() || !Files.exists(mark) || !Files.readString(mark).equals(wanted)) {
      Directories.delete(data);
      Files.createDirectories(data);
      Files.writeString(mark, wanted);
    }
    for (Dataset dataset : plan.datasets()) {
      Path done = data.resolve(dataset.label() + ".loaded");
      if (!Files.exists(done)) {
        Directories.delete(dataset.directory(data));
        process("load", ReadTask.Kind.LOAD, dataset.name(), 0, List.of());
        Files.createFile(done);
        progress().finished();
      } else {
        progress().skip(1);
      }
    }
  }

  private void measure(Plan plan) throws IOException, InterruptedException, RunFailedException {
    for (boolean cold : List.of(true, false)) {
      List<String> contests = plan.contests(cold).stream().map(Contest::id).toList();
      if (!contests.isEmpty()) {
        process(cold ? "cold" : "hot", ReadTask.Kind.RUNS, "", 0, contests);
      }
    }
    if (plan.counts()) {
      process("counts", ReadTask.Kind.COUNTS, "", 0, List.of());
      progress().finished();
    }
    for (int round = 1; round <= options.rounds(); round++) {
      // There and back, so that a drift of the machine meets all sides alike.
      List<ReadSide> order = new ArrayList<>(List.of(ReadSide.values()));
      if ((round & 1) == 0) {
        Collections.reverse(order);
      }
      for (ReadCell.Memory memory : ReadCell.Memory.values()) {
        for (ReadSide side : order) {
          List<String> cells = plan.cellsOf(side, memory);
          if (!cells.isEmpty()) {
            measure(side, memory, cells, round);
          }
        }
      }
    }
  }

  private void measure(ReadSide side, ReadCell.Memory memory, List<String> cells, int round)
      throws IOException, InterruptedException, RunFailedException {
    ReadScale scale = options.scale();
    if (!memory.limited()) {
      String name = side.label() + " round " + round;
      process(name, ReadTask.Kind.SIDE, side.name(), round, cells);
      return;
    }
    ControlGroup group = null;
    try {
      if (scale.groupBytes() > 0) {
        try {
          group = groups.create(memory.limitBytes(scale));
        } catch (IOException e) {
          cells.forEach(cell -> skip(cell, e));
          progress().skip(cells.size());
          return;
        }
        // A page counts for the group that reads it first.
        TablePageCache.evict(side.dataset().directory(data));
      }
      String size = memory == ReadCell.Memory.FITS ? "its size" : "a fourth";
      process(
          side.label() + " in memory of " + size + " round " + round,
          ReadTask.Kind.SIDE,
          side.name(),
          round,
          cells,
          groupedFlags(scale),
          group == null ? List.of() : group.launcher());
    } finally {
      if (group != null) {
        group.close();
      }
    }
  }

  private static List<String> groupedFlags(ReadScale scale) {
    long heap = ReadSide.heapBytes(scale) >> 20;
    return List.of(
        "-Xms" + heap + "m", "-Xmx" + heap + "m", "-XX:+UseSerialGC", "-XX:MaxDirectMemorySize=1g");
  }

  private void process(
      String name, ReadTask.Kind kind, String subject, int round, List<String> cells)
      throws IOException, InterruptedException, RunFailedException {
    process(name, kind, subject, round, cells, FLAGS, List.of());
  }

  private void process(
      String name,
      ReadTask.Kind kind,
      String subject,
      int round,
      List<String> cells,
      List<String> jvmFlags,
      List<String> launcher)
      throws IOException, InterruptedException, RunFailedException {
    progress().begin(name);
    Path scratch = Files.createDirectories(scratch());
    List<String> flags = new ArrayList<>(jvmFlags);
    // RocksDB's binding unpacks its library there.
    flags.add("-Djava.io.tmpdir=" + scratch);
    if (options.record() && kind != ReadTask.Kind.LOAD) {
      // Standard output is for the lines to this process.
      flags.add("-Xlog:jfr+startup=error");
      flags.add(
          "-XX:StartFlightRecording=settings=profile,filename="
              + target.toAbsolutePath().resolve(NAME + "-" + name.replace(' ', '-') + ".jfr"));
    }
    ReadTask task = new ReadTask(kind, data, options, subject, round, cells);
    Path owned = options.keep() ? scratch : data;
    new ChildJava(owned, flags, task, launcher).run(progress(), heard()).check(name);
  }

  private Map<String, ChildJava.Lines> heard() {
    return Map.of(
        "store",
        line ->
            stores.put(line.substring(0, line.indexOf(' ')), line.substring(line.indexOf(' ') + 1)),
        "warm",
        samples::warm,
        "missing",
        samples::missing,
        "sample",
        samples::add,
        "done",
        line -> progress().finished());
  }

  private List<String> facts() {
    ReadScale scale = options.scale();
    List<String> facts = new ArrayList<>();
    facts.add(
        text(
            "scale %s, %d rounds of %.2f s a side, seed %d; runs: %d of %d MiB over one key range,"
                + " 16 + %d B; beside RocksDB: %,d entries of 16 + %d B, memtable %d MiB; no"
                + " compression; blocks of 4 KiB, which in the runs end with pages",
            scale.label(),
            options.rounds(),
            options.seconds(),
            options.seed(),
            ReadScale.RUNS,
            scale.runBytes() >> 20,
            ReadScale.RUN_VALUE_BYTES,
            scale.hotKeys(),
            ReadScale.HOT_VALUE_BYTES,
            scale.hotMemtableBytes() >> 20));
    facts.add(
        "cold: block cache of 1/100 of the data; lookups read blocks past the page cache, cursors those"
            + " that they read at once; serial_mapped reads by mappings; whenever about 1/100 of the"
            + " data has come into the page cache, all of it is dropped and the store opened anew");
    facts.add(
        text(
            "memory_4x: %d MiB of 16 + %d B in a group of %d MiB; memory_fits: the same in %d MiB;"
                + " memtables and cache %d MiB, heap %d MiB",
            scale.groupedBytes() >> 20,
            ReadScale.RUN_VALUE_BYTES,
            scale.groupBytes() >> 20,
            ReadCell.Memory.FITS.limitBytes(scale) >> 20,
            ReadSide.memoryBytes(scale) >> 20,
            ReadSide.heapBytes(scale) >> 20));
    stores.forEach((dataset, description) -> facts.add(dataset + ": " + description));
    facts.add("each process in a JVM of its own, " + String.join(" ", FLAGS));
    return facts;
  }
}
