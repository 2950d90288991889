// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.bench.read;

import io.coppice.bench.Directories;
import io.coppice.bench.engine.ResourceCheck;
import io.coppice.bench.suite.ChildJava;
import io.coppice.bench.suite.ControlGroup;
import io.coppice.bench.suite.Machine;
import io.coppice.bench.suite.RecordJson;
import io.coppice.bench.suite.RunFailedException;
import io.coppice.bench.suite.Suite;
import io.coppice.bench.suite.SuiteReport;
import io.coppice.bench.suite.SuiteRow;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;

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
  private final Path data;
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

  public ReadSuite(
      ReadOptions options, Path target, PrintWriter out, PrintWriter err, boolean drawn) {
    this(options, target, out, err, drawn, ControlGroup::create);
  }

  ReadSuite(
      ReadOptions options,
      Path target,
      PrintWriter out,
      PrintWriter err,
      boolean drawn,
      Groups groups) {
    super(target, out, err, drawn);
    this.groups = groups;
    this.options = options;
    this.data = target.resolve("read-data").toAbsolutePath();
  }

  @Override
  protected Path[] data() {
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
    int cells =
        plan.peers().stream().mapToInt(store -> plan.cellsOf(store).size()).sum()
            + plan.groupedSides();
    long bytes =
        plan.datasets().stream().mapToLong(dataset -> dataset.bytes(options.scale())).sum();
    return sides * (options.rounds() + 1) * options.seconds()
        + cells * options.rounds() * (options.seconds() + options.scale().warmUpSeconds())
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
    if (limit == 0 || rows.stream().allMatch(row -> row.grouped().isEmpty())) {
      return rows;
    }
    try {
      groups.create(limit).close();
      return rows;
    } catch (IOException e) {
      rows.stream()
          .flatMap(row -> row.grouped().stream())
          .distinct()
          .forEach(
              cell -> samples.missing(cell.id() + " skipped: no memory group: " + e.getMessage()));
      return rows.stream().filter(row -> row.grouped().isEmpty()).toList();
    }
  }

  private SuiteRow row(RowSpec spec) {
    return samples
        .missing(spec.contested())
        .map(reason -> SuiteRow.notMeasured(spec.id(), reason))
        .orElseGet(() -> spec.row().apply(samples));
  }

  /** Requirements of the rows, without repetition. */
  private record Plan(
      Set<Dataset> datasets,
      List<Contest> contests,
      List<PeerCell> cells,
      Map<GroupedCell, Set<GroupedSide>> grouped,
      boolean counts) {

    static Plan of(List<RowSpec> rows) {
      Set<String> ids =
          rows.stream().flatMap(row -> row.contests().stream()).collect(Collectors.toSet());
      List<Contest> contests =
          Contest.ALL.stream().filter(contest -> ids.contains(contest.id())).toList();
      Set<String> cellIds =
          rows.stream().flatMap(row -> row.cells().stream()).collect(Collectors.toSet());
      List<PeerCell> cells =
          PeerCell.ALL.stream().filter(cell -> cellIds.contains(cell.id())).toList();
      Map<GroupedCell, Set<GroupedSide>> grouped = new HashMap<>();
      for (RowSpec row : rows) {
        for (GroupedCell cell : row.grouped()) {
          grouped.computeIfAbsent(cell, key -> new HashSet<>()).addAll(row.sides());
        }
      }
      boolean counts = rows.stream().anyMatch(RowSpec::counts);
      Stream<Dataset> compared =
          contests.stream()
              .flatMap(contest -> contest.sides().stream())
              .map(side -> side.variant().dataset());
      Stream<Dataset> beside = cells.stream().flatMap(cell -> cell.stores().stream());
      Stream<Dataset> counted = counts ? Stream.of(Dataset.RUNS, Dataset.SHORT) : Stream.empty();
      Stream<Dataset> inGroup =
          grouped.values().stream().flatMap(Set::stream).map(GroupedSide::dataset);
      Set<Dataset> datasets =
          Stream.of(compared, beside, counted, inGroup)
              .flatMap(each -> each)
              .collect(Collectors.toCollection(java.util.TreeSet::new));
      return new Plan(datasets, contests, cells, grouped, counts);
    }

    /** Returns the cells that one process measures. */
    List<GroupedCell> groupedOf(GroupedSide side, boolean fits) {
      return GroupedCell.ALL.stream()
          .filter(cell -> cell.fits() == fits)
          .filter(cell -> grouped.getOrDefault(cell, Set.of()).contains(side))
          .toList();
    }

    /** Cells in a group times their sides. */
    int groupedSides() {
      return grouped.values().stream().mapToInt(Set::size).sum();
    }

    List<Dataset> peers() {
      return Stream.of(Dataset.FOREST, Dataset.ROCKSDB, Dataset.LEVELED)
          .filter(store -> !cellsOf(store).isEmpty())
          .toList();
    }

    List<PeerCell> cellsOf(Dataset store) {
      return cells.stream().filter(cell -> cell.stores().contains(store)).toList();
    }

    List<Contest> contests(boolean cold) {
      return contests.stream().filter(contest -> contest.cold() == cold).toList();
    }

    /** For the bar: a data set, a contest in a round, a cell, the counts. */
    int steps(int rounds) {
      int cellsOfRound = peers().stream().mapToInt(store -> cellsOf(store).size()).sum();
      return datasets.size()
          + contests.size() * (rounds + 1)
          + cellsOfRound * rounds
          + groupedSides() * rounds
          + (counts ? 1 : 0);
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
        process("load", LoadProcess.class, dataset.name(), 0, List.of());
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
        process(cold ? "cold" : "hot", RunsProcess.class, "", 0, contests);
      }
    }
    if (plan.counts()) {
      process("counts", CountsProcess.class, "", 0, List.of());
      progress().finished();
    }
    for (int round = 1; round <= options.rounds(); round++) {
      for (Dataset store : plan.peers()) {
        String name = store.label() + " round " + round;
        List<String> cells = plan.cellsOf(store).stream().map(PeerCell::id).toList();
        process(name, PeerProcess.class, store.name(), round, cells);
      }
      measureGrouped(plan, round);
    }
  }

  private void measureGrouped(Plan plan, int round)
      throws IOException, InterruptedException, RunFailedException {
    for (boolean fits : List.of(true, false)) {
      List<GroupedSide> order = new ArrayList<>(List.of(GroupedSide.values()));
      if ((round & 1) == 0) {
        Collections.reverse(order);
      }
      for (GroupedSide side : order) {
        List<GroupedCell> cells = plan.groupedOf(side, fits);
        if (!cells.isEmpty()) {
          measureGrouped(side, fits, cells, round);
        }
      }
    }
  }

  private void measureGrouped(GroupedSide side, boolean fits, List<GroupedCell> cells, int round)
      throws IOException, InterruptedException, RunFailedException {
    ReadScale scale = options.scale();
    ControlGroup group = null;
    try {
      if (scale.groupBytes() > 0) {
        try {
          group = groups.create(GroupedCell.limitBytes(fits, scale));
        } catch (IOException e) {
          cells.forEach(
              cell -> samples.missing(cell.id() + " skipped: no memory group: " + e.getMessage()));
          progress().skip(cells.size());
          return;
        }
        // A page counts for the group that reads it first.
        TablePageCache.evict(side.dataset().directory(data));
      }
      process(
          side.label() + " in memory of " + (fits ? "its size" : "a fourth") + " round " + round,
          GroupedProcess.class,
          side.name(),
          round,
          cells.stream().map(GroupedCell::id).toList(),
          groupedFlags(scale),
          group == null ? List.of() : group.launcher());
    } finally {
      if (group != null) {
        group.close();
      }
    }
  }

  private static List<String> groupedFlags(ReadScale scale) {
    long heap = GroupedSide.heapBytes(scale) >> 20;
    return List.of(
        "-Xms" + heap + "m", "-Xmx" + heap + "m", "-XX:+UseSerialGC", "-XX:MaxDirectMemorySize=1g");
  }

  private void process(String name, Class<?> main, String subject, int round, List<String> cells)
      throws IOException, InterruptedException, RunFailedException {
    process(name, main, subject, round, cells, FLAGS, List.of());
  }

  private void process(
      String name,
      Class<?> main,
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
    if (options.record() && main != LoadProcess.class) {
      // Standard output is for the lines to this process.
      flags.add("-Xlog:jfr+startup=error");
      flags.add(
          "-XX:StartFlightRecording=settings=profile,filename="
              + target.toAbsolutePath().resolve(NAME + "-" + name.replace(' ', '-') + ".jfr"));
    }
    ReadTask task = new ReadTask(data, options, subject, round, cells);
    Path owned = options.keep() ? scratch : data;
    new ChildJava(owned, flags, main, List.of(RecordJson.line(task)), launcher)
        .run(progress(), heard())
        .check(name);
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
        line -> {
          samples.add(line);
          if (line.startsWith(PeerCell.PREFIX) || line.startsWith(GroupedCell.PREFIX)) {
            progress().finished();
          }
        },
        "done",
        line -> progress().finished());
  }

  private List<String> facts() {
    ReadScale scale = options.scale();
    List<String> facts = new ArrayList<>();
    facts.add(
        String.format(
            Locale.ROOT,
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
        String.format(
            Locale.ROOT,
            "memory_4x: %d MiB of 16 + %d B in a group of %d MiB; memory_fits: the same in %d MiB;"
                + " memtables and cache %d MiB, heap %d MiB",
            scale.groupedBytes() >> 20,
            ReadScale.RUN_VALUE_BYTES,
            scale.groupBytes() >> 20,
            GroupedCell.limitBytes(true, scale) >> 20,
            GroupedSide.memoryBytes(scale) >> 20,
            GroupedSide.heapBytes(scale) >> 20));
    stores.forEach((dataset, description) -> facts.add(dataset + ": " + description));
    facts.add("each process in a JVM of its own, " + String.join(" ", FLAGS));
    return facts;
  }
}
