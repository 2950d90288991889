// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.policy;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/**
 * A store of whole numbers instead of data, for judging policies: tables are sorted arrays of keys
 * with the sequence number of each, plans are carried out for real, and a lookup follows the merge
 * rule, so a plan that loses an update is seen as a wrong answer. An entry has a fixed number of
 * bytes; keys, which are not negative, serve as ranks.
 *
 * <p>Under ADJACENT runs are kept as plans make them. Under FREE a slice has a level alone, and
 * runs are drawn anew by first-fit colouring for each Shape, as in the Cassandra adapter.
 */
public final class ShapeStore {

  /** A merge under way. */
  public static final class Job {
    private final Target target;
    private final List<Slice> inputs;
    private final Run run;
    private final int low;
    private final int high;

    private Job(Target target, List<Slice> inputs, Run run) {
      this.target = target;
      this.inputs = inputs;
      this.run = run;
      this.low = inputs.stream().mapToInt(Slice::low).min().orElseThrow();
      this.high = inputs.stream().mapToInt(Slice::high).max().orElseThrow();
    }
  }

  private static final class Slice {
    final long id;
    final long table;
    int[] keys;
    long[] sequences;
    boolean claimed;
    Run home;

    Slice(long id, int[] keys, long[] sequences) {
      this.id = id;
      this.table = id;
      this.keys = keys;
      this.sequences = sequences;
    }

    int low() {
      return keys[0];
    }

    int high() {
      return keys[keys.length - 1];
    }
  }

  /** Slices by low key under ADJACENT; under FREE, where they overlap, by id. */
  private static final class Run {
    final long id;
    final TreeMap<Long, Slice> slices = new TreeMap<>();
    final Set<Long> sources = new HashSet<>();

    Run(long id) {
      this.id = id;
    }
  }

  private static final long RUNS_A_LEVEL = 1_000_000;

  private final boolean free;
  private final int entryBytes;
  private final int entriesATable;
  private final List<List<Run>> levels = new ArrayList<>();
  private final Map<Long, Slice> slices = new HashMap<>();
  private final List<Job> jobs = new ArrayList<>();
  private final Map<Integer, Long> newest = new HashMap<>();
  private long ids;
  private long sequence;
  private long flushedEntries;
  private long mergedEntries;
  private long movedEntries;
  private int merges;
  private int moves;

  /** An empty store whose merges cut tables at the given bytes. */
  public ShapeStore(MergeRule rule, long tableBytes, int entryBytes) {
    this.free = rule == MergeRule.FREE;
    this.entryBytes = entryBytes;
    this.entriesATable = Math.toIntExact(Math.max(1, tableBytes / entryBytes));
    levels.add(new ArrayList<>());
  }

  /** Writes keys as the newest run of level 0, cut into tables. */
  public void flush(int... keys) {
    place(0, keys);
  }

  /**
   * Lays keys down as the newest run of a level, as if just written; returns the run's id. Legal
   * under ADJACENT only while no newer run holds any of the ranks between them.
   */
  public long place(int level, int... keys) {
    int[] sorted = Arrays.stream(keys).sorted().distinct().toArray();
    long[] sequences = new long[sorted.length];
    for (int i = 0; i < sorted.length; i++) {
      sequences[i] = ++sequence;
      newest.put(sorted[i], sequence);
    }
    Run run = free ? onlyRun(level) : newRun(level);
    addTables(run, sorted, sequences);
    flushedEntries += sorted.length;
    return run.id;
  }

  /** Names runs as sources of another, as a plan that began to fill it would have done. */
  public void feed(long run, Set<Long> sources) {
    for (List<Run> runs : levels) {
      runs.stream().filter(r -> r.id == run).forEach(r -> r.sources.addAll(sources));
    }
  }

  /** Claims a slice, or frees it, as work that no policy planned would do. */
  public void claim(long slice, boolean claimed) {
    slices.get(slice).claimed = claimed;
  }

  /** The store as policies see it. */
  public Shape shape() {
    List<LevelFacts> facts = new ArrayList<>();
    for (int level = 0; level < levels.size(); level++) {
      facts.add(new LevelFacts(free ? coloured(level) : kept(level)));
    }
    List<Shape.Job> running =
        jobs.stream()
            .map(
                job ->
                    new Shape.Job(
                        job.target.level(), free ? Target.NEW_RUN : job.run.id, job.low, job.high))
            .toList();
    return new Shape(free ? MergeRule.FREE : MergeRule.ADJACENT, facts, running);
  }

  /** Carries a plan out at once. */
  public void apply(Plan plan) {
    if (plan instanceof Plan.Merge merge) {
      step(begin(merge), Integer.MAX_VALUE);
    } else {
      move(plan);
    }
  }

  /** Starts a merge: claims its inputs and makes its run. */
  public Job begin(Plan.Merge plan) {
    List<Slice> inputs = new ArrayList<>(plan.slices().stream().map(slices::get).toList());
    inputs.forEach(slice -> slice.claimed = true);
    Job job = new Job(plan.target(), inputs, targetRun(plan.target()));
    jobs.add(job);
    merges++;
    return job;
  }

  /** Writes up to so many tables of a merge and releases what they cover; false once done. */
  public boolean step(Job job, int tables) {
    int limit = (int) Math.min(Integer.MAX_VALUE, (long) tables * entriesATable);
    Entries merged = Entries.merge(job.inputs, limit, free);
    int watermark = merged.keys[merged.keys.length - 1];
    for (Slice slice : List.copyOf(job.inputs)) {
      int from = firstAbove(slice.keys, watermark);
      Run home = slice.home;
      remove(slice);
      if (from == slice.keys.length) {
        slices.remove(slice.id);
        job.inputs.remove(slice);
      } else {
        slice.keys = Arrays.copyOfRange(slice.keys, from, slice.keys.length);
        slice.sequences = Arrays.copyOfRange(slice.sequences, from, slice.sequences.length);
        put(home, slice);
      }
    }
    addTables(job.run, merged.keys, merged.sequences);
    mergedEntries += merged.keys.length;
    if (job.inputs.isEmpty()) {
      abandon(job);
      return false;
    }
    return true;
  }

  /** Ends a merge where it stands: what it wrote stays, what it did not consume is free again. */
  public void abandon(Job job) {
    job.inputs.forEach(slice -> slice.claimed = false);
    jobs.remove(job);
    tidy();
  }

  private void move(Plan plan) {
    Run run = targetRun(((Plan.Placing) plan).target());
    for (long id : plan.slices()) {
      Slice slice = slices.get(id);
      movedEntries += slice.keys.length;
      remove(slice);
      put(run, slice);
    }
    moves++;
    tidy();
  }

  /** The sequence number that a lookup finds, or -1. */
  public long get(int key) {
    long found = -1;
    for (List<Run> runs : levels) {
      for (Run run : runs) {
        for (Slice slice : run.slices.values()) {
          int at = Arrays.binarySearch(slice.keys, key);
          if (at >= 0 && !free) {
            return slice.sequences[at];
          }
          found = at >= 0 ? Math.max(found, slice.sequences[at]) : found;
        }
      }
    }
    return found;
  }

  /** A key that a lookup answers wrongly, as a message; empty if all are right. */
  public String wrongKeys() {
    for (Map.Entry<Integer, Long> entry : newest.entrySet()) {
      long found = get(entry.getKey());
      if (found != entry.getValue()) {
        return "key " + entry.getKey() + " is " + found + ", not " + entry.getValue();
      }
    }
    return "";
  }

  /** Bytes written by flushes and merges, over bytes flushed. */
  public double writeAmplification() {
    return (double) (flushedEntries + mergedEntries) / flushedEntries;
  }

  /** Bytes that merges have written. */
  public long mergedBytes() {
    return mergedEntries * entryBytes;
  }

  /** Bytes that moves have carried. */
  public long movedBytes() {
    return movedEntries * entryBytes;
  }

  /** Bytes of all keys ever flushed, overwritten ones counted again. */
  public long flushedBytes() {
    return flushedEntries * entryBytes;
  }

  /** Merges begun. */
  public int merges() {
    return merges;
  }

  /** Moves done. */
  public int moves() {
    return moves;
  }

  /** Runs that hold something. */
  public int runs() {
    int runs = 0;
    for (LevelFacts level : shape().levels()) {
      for (RunFacts run : level.runs()) {
        runs += run.segments().isEmpty() ? 0 : 1;
      }
    }
    return runs;
  }

  /** Slices of all levels. */
  public int slices() {
    return slices.size();
  }

  private List<RunFacts> kept(int level) {
    List<RunFacts> runs = new ArrayList<>();
    for (Run run : levels.get(level)) {
      List<SegmentFacts> segments =
          run.slices.values().stream().map(slice -> SegmentFacts.of(facts(slice))).toList();
      runs.add(new RunFacts(run.id, segments, run.sources));
    }
    return runs;
  }

  private List<RunFacts> coloured(int level) {
    List<Slice> sorted = new ArrayList<>();
    levels.get(level).forEach(run -> sorted.addAll(run.slices.values()));
    sorted.sort(Comparator.comparingInt(Slice::low).thenComparingLong(slice -> slice.id));
    List<List<SegmentFacts>> colours = new ArrayList<>();
    for (Slice slice : sorted) {
      int colour = 0;
      while (colour < colours.size()
          && colours.get(colour).get(colours.get(colour).size() - 1).high() >= slice.low()) {
        colour++;
      }
      if (colour == colours.size()) {
        colours.add(new ArrayList<>());
      }
      colours.get(colour).add(SegmentFacts.of(facts(slice)));
    }
    List<RunFacts> runs = new ArrayList<>();
    for (List<SegmentFacts> colour : colours) {
      runs.add(new RunFacts(RUNS_A_LEVEL * level + runs.size(), colour, Set.of()));
    }
    return runs;
  }

  private TableFacts facts(Slice slice) {
    int entries = slice.keys.length;
    return new TableFacts(
        slice.id,
        slice.table,
        slice.low(),
        slice.high(),
        (long) entries * entryBytes,
        entries,
        0,
        (long) entries * entryBytes,
        slice.claimed);
  }

  private Run targetRun(Target target) {
    if (free) {
      return onlyRun(target.level());
    }
    if (target.isNew()) {
      Run run = newRun(target.level());
      run.sources.addAll(target.sources());
      return run;
    }
    return levels.get(target.level()).stream()
        .filter(run -> run.id == target.run())
        .findFirst()
        .orElseThrow();
  }

  private Run newRun(int level) {
    while (levels.size() <= level) {
      levels.add(new ArrayList<>());
    }
    Run run = new Run(++ids);
    levels.get(level).add(0, run);
    return run;
  }

  private Run onlyRun(int level) {
    return level < levels.size() && !levels.get(level).isEmpty()
        ? levels.get(level).get(0)
        : newRun(level);
  }

  private void addTables(Run run, int[] keys, long[] sequences) {
    for (int from = 0; from < keys.length; from += entriesATable) {
      int to = Math.min(keys.length, from + entriesATable);
      Slice slice =
          new Slice(
              ++ids, Arrays.copyOfRange(keys, from, to), Arrays.copyOfRange(sequences, from, to));
      slices.put(slice.id, slice);
      put(run, slice);
    }
  }

  private void put(Run run, Slice slice) {
    Slice other = run.slices.put(place(slice), slice);
    if (other != null) {
      throw new AssertionError("slices " + other.id + " and " + slice.id + " share a place");
    }
    slice.home = run;
  }

  private void remove(Slice slice) {
    slice.home.slices.remove(place(slice));
  }

  private long place(Slice slice) {
    return free ? slice.id : slice.low();
  }

  /** Empty runs that nothing feeds vanish; so do sources that are gone. */
  private void tidy() {
    boolean changed = !free;
    while (changed) {
      changed = false;
      Set<Long> living = new HashSet<>();
      levels.forEach(runs -> runs.forEach(run -> living.add(run.id)));
      for (List<Run> runs : levels) {
        runs.forEach(run -> run.sources.retainAll(living));
        changed |= runs.removeIf(this::isIdle);
      }
    }
  }

  private boolean isIdle(Run run) {
    return run.slices.isEmpty()
        && run.sources.isEmpty()
        && jobs.stream().noneMatch(job -> job.run == run);
  }

  private static int firstAbove(int[] keys, int watermark) {
    int at = Arrays.binarySearch(keys, watermark);
    return at >= 0 ? at + 1 : -at - 1;
  }

  private record Entries(int[] keys, long[] sequences) {

    /**
     * The first entries of a merge. Inputs stand newest run first, so the first of equal keys is
     * the newest by place; under FREE the largest sequence number is.
     */
    static Entries merge(List<Slice> inputs, int limit, boolean free) {
      int total = inputs.stream().mapToInt(slice -> slice.keys.length).sum();
      long[] order = new long[total];
      long[] sequences = new long[total];
      int n = 0;
      for (Slice slice : inputs) {
        for (int i = 0; i < slice.keys.length; i++) {
          order[n] = (long) slice.keys[i] << Integer.SIZE | n;
          sequences[n++] = slice.sequences[i];
        }
      }
      Arrays.sort(order);
      int[] keys = new int[total];
      long[] chosen = new long[total];
      int out = 0;
      for (long at : order) {
        int key = (int) (at >>> Integer.SIZE);
        long found = sequences[(int) at];
        if (out > 0 && keys[out - 1] == key) {
          chosen[out - 1] = free ? Math.max(chosen[out - 1], found) : chosen[out - 1];
        } else if (out == limit) {
          break;
        } else {
          keys[out] = key;
          chosen[out++] = found;
        }
      }
      return new Entries(Arrays.copyOf(keys, out), Arrays.copyOf(chosen, out));
    }
  }
}
