// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.bench.read;

import io.coppice.bench.report.Machine;
import io.coppice.bench.report.SuiteReport;
import io.coppice.bench.report.SuiteRow;
import io.coppice.bench.report.Texts;
import io.coppice.bench.store.ResourceCheck;
import io.coppice.bench.suite.ChildJava;
import io.coppice.bench.suite.ChildTask;
import io.coppice.bench.suite.ControlGroup;
import io.coppice.bench.suite.Directories;
import io.coppice.bench.suite.ProgressLine;
import io.coppice.bench.suite.RunFailedException;
import io.coppice.bench.suite.Suite;
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

/**
 * One run of the suite {@code read}: loads the data that its rows need, measures, and makes the
 * rows. Used once.
 */
public final class ReadSuite extends Suite {

  /** The suite's name, and that of its file. */
  public static final String NAME = "read";

  private static final String HEAP = "512m";
  private static final List<String> FLAGS =
      List.of("-Xms" + HEAP, "-Xmx" + HEAP, "-XX:+UseG1GC", "-XX:MaxDirectMemorySize=16g");

  /** Largest memory in bytes of a store's memtables and cache, in addition to the heap. */
  private static final long MAX_MEMORY = 1L << 30;

  private static final double LOADED_BYTES_PER_SECOND = 30e6;
  private static final double COUNTS_SECONDS = 5;

  private final ReadOptions options;
  private final Groups groups;
  private final Samples samples = new Samples();
  private final TreeMap<String, String> stores = new TreeMap<>();

  /** Factory of memory groups. */
  interface Groups {

    /**
     * Creates a group with this memory limit.
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

  /** Returns the ids of all rows. */
  public static List<String> rowIds() {
    return ReadRows.ALL.stream().map(RowSpec::id).toList();
  }

  /** Returns the rough duration of a run in seconds. */
  public static double seconds(ReadOptions options) {
    return Plan.of(ReadRows.matching(options.rows())).steps(options, Path.of("")).stream()
        .mapToDouble(step -> ProgressLine.START_SECONDS + step.seconds())
        .sum();
  }

  /**
   * Returns a sentence about the lacking resource; empty if the machine has enough. Data kept from
   * an earlier run counts as missing.
   *
   * @param target directory of the run, which is created if it is missing
   * @throws IOException if that fails
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
    List<Step> steps = plan.steps(options, data);
    progress(steps.size(), plan.datasets().size() + 1).ticking();
    steps.forEach(step -> progress().expect(step.kind(), step.seconds()));
    forgetOtherData();
    for (Step step : steps) {
      run(step);
    }
    progress().erase();
    List<SuiteRow> measured = rows.stream().map(this::row).toList();
    new SuiteReport(NAME, command, machine, facts(), options.rounds(), measured).print(out, target);
  }

  /**
   * Returns the rows that can be measured. If this machine has no memory groups, it leaves out the
   * rows that need one and prints them.
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

  /**
   * Everything that the rows of a run need, each once.
   *
   * @param counts whether the process that counts is needed
   */
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

    /** Returns the cells that one process measures. */
    private List<ReadCell> cellsOf(ReadSide side, ReadCell.Memory memory) {
      return cells.keySet().stream()
          .filter(cell -> cell.memory() == memory && cells.get(cell).contains(side))
          .toList();
    }

    /** Returns the processes of a run, in their order. */
    List<Step> steps(ReadOptions options, Path data) {
      List<Step> steps = new ArrayList<>();
      for (Dataset dataset : datasets) {
        double seconds = dataset.bytes(options.scale()) / LOADED_BYTES_PER_SECOND;
        steps.add(new Step("load", seconds, new LoadProcess.Task(options, data, dataset)));
      }
      for (boolean cold : List.of(true, false)) {
        List<Contest> some = contests.stream().filter(each -> each.cold() == cold).toList();
        if (!some.isEmpty()) {
          List<String> ids = some.stream().map(Contest::id).toList();
          double seconds = RunsProcess.seconds(options, some);
          ChildTask task = new RunsProcess.Task(options, data, ids);
          steps.add(new Step(cold ? "cold" : "hot", seconds, task));
        }
      }
      if (counts) {
        steps.add(new Step("counts", COUNTS_SECONDS, new CountsProcess(options, data)));
      }
      for (int round = 1; round <= options.rounds(); round++) {
        // There and back, so that a drift of the machine affects all sides alike.
        List<ReadSide> order = new ArrayList<>(List.of(ReadSide.values()));
        if ((round & 1) == 0) {
          Collections.reverse(order);
        }
        for (ReadCell.Memory memory : ReadCell.Memory.values()) {
          for (ReadSide side : order) {
            List<ReadCell> some = cellsOf(side, memory);
            if (!some.isEmpty()) {
              SideProcess task = new SideProcess(options, data, side, round, some);
              steps.add(new Step("side", task.seconds(), task));
            }
          }
        }
      }
      return steps;
    }
  }

  /**
   * One process of a run.
   *
   * @param kind of its work, whose pace the progress measures
   * @param seconds expected time of its work
   */
  private record Step(String kind, double seconds, ChildTask task) {

    boolean limited() {
      return task instanceof SideProcess side && side.memory().limited();
    }

    String name() {
      return task instanceof SideProcess side ? side.name() : kind;
    }
  }

  /** Deletes the data of earlier runs, unless they were kept for this scale and seed. */
  private void forgetOtherData() throws IOException {
    String wanted = "scale=%s seed=%d%n".formatted(options.scale().label(), options.seed());
    Path mark = data.resolve("loaded");
    if (!options.keep() || !Files.exists(mark) || !Files.readString(mark).equals(wanted)) {
      Directories.delete(data);
      Files.createDirectories(data);
      Files.writeString(mark, wanted);
    }
  }

  private void run(Step step) throws IOException, InterruptedException, RunFailedException {
    if (step.task() instanceof LoadProcess.Task load) {
      load(step, load.dataset());
    } else if (step.task() instanceof SideProcess side
        && step.limited()
        && options.scale().groupBytes() > 0) {
      runInGroup(step, side);
    } else {
      process(step);
    }
  }

  private void load(Step step, Dataset dataset)
      throws IOException, InterruptedException, RunFailedException {
    Path done = data.resolve(dataset.label() + ".loaded");
    if (Files.exists(done)) {
      progress().skip(step.kind(), step.seconds());
      return;
    }
    Directories.delete(dataset.directory(data));
    process(step);
    Files.createFile(done);
  }

  private void runInGroup(Step step, SideProcess side)
      throws IOException, InterruptedException, RunFailedException {
    ControlGroup group;
    try {
      group = groups.create(side.memory().limitBytes(options.scale()));
    } catch (IOException e) {
      side.cells().forEach(cell -> skip(cell.id(), e));
      progress().skip(step.kind(), step.seconds());
      return;
    }
    try (group) {
      // A page counts for the group that reads it first.
      TablePageCache.evict(side.side().dataset().directory(data));
      process(step, group.launcher().toArray(String[]::new));
    }
  }

  private static List<String> groupedFlags(ReadScale scale) {
    long heap = scale.heapBytes() >> 20;
    return List.of(
        "-Xms" + heap + "m", "-Xmx" + heap + "m", "-XX:+UseSerialGC", "-XX:MaxDirectMemorySize=1g");
  }

  private void process(Step step, String... launcher)
      throws IOException, InterruptedException, RunFailedException {
    String name = step.name();
    progress().begin(name, step.kind(), step.seconds());
    Path scratch = Files.createDirectories(scratch());
    List<String> flags = new ArrayList<>(step.limited() ? groupedFlags(options.scale()) : FLAGS);
    // RocksDB's binding unpacks its library there.
    flags.add("-Djava.io.tmpdir=" + scratch);
    if (options.record() && !(step.task() instanceof LoadProcess.Task)) {
      // Standard output is for the lines to this process.
      flags.add("-Xlog:jfr+startup=error");
      flags.add(
          "-XX:StartFlightRecording=settings=profile,filename="
              + target.toAbsolutePath().resolve(NAME + "-" + name.replace(' ', '-') + ".jfr"));
    }
    Path owned = options.keep() ? scratch : data;
    new ChildJava(owned, flags, step.task(), launcher).run(progress(), heard()).check(name);
    progress().finished();
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
        samples::add);
  }

  private List<String> facts() {
    List<String> facts = new ArrayList<>(Texts.facts(ReadSuite.class, options));
    stores.forEach((dataset, description) -> facts.add(dataset + ": " + description));
    facts.add("each process in a JVM of its own, " + String.join(" ", FLAGS));
    return facts;
  }
}
