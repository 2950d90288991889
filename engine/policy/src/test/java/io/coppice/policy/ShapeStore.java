// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.policy;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.IntStream;

/**
 * A store of whole numbers instead of data, for judging policies: tables are sorted arrays of keys
 * with a stamp for each, plans are carried out for real, and a lookup follows the merge rule, so a
 * plan that loses an update is seen as a wrong answer. An entry has a fixed number of bytes; keys,
 * which are not negative, serve as ranks. Merges keep deletions.
 *
 * <p>Under ADJACENT runs are kept as plans make them. A slice is a window on a table, claims are on
 * tables, and a delay is carried out as {@link Plan.Delay} describes, cut at exact quantiles. Under
 * FREE a slice is a whole table with a level alone, and runs are drawn anew by first-fit colouring
 * for each Shape, as in the Cassandra adapter.
 */
public final class ShapeStore {

  private static final int ENDED_PARTS = 8;

  /** A merge under way. */
  public static final class Job {
    private final Target target;
    private final List<Slice> inputs;
    private final Set<Table> tables = new HashSet<>();
    private final Run run;
    private final int low;
    private final int high;

    private Job(Target target, List<Slice> inputs, Run run) {
      this.target = target;
      this.inputs = inputs;
      inputs.forEach(slice -> tables.add(slice.table));
      this.run = run;
      this.low = inputs.stream().mapToInt(Slice::low).min().orElseThrow();
      this.high = inputs.stream().mapToInt(Slice::high).max().orElseThrow();
    }
  }

  /** Sorted keys; a stamp is twice the sequence number, and one more for a deletion. */
  private static final class Table {
    final long id;
    final int[] keys;
    final long[] stamps;
    final int[] deletionsBefore;
    boolean claimed;
    int slices;

    /** Eighths of its bytes whose values are past their end. */
    int ended;

    Table(long id, int[] keys, long[] stamps) {
      this.id = id;
      this.keys = keys;
      this.stamps = stamps;
      this.deletionsBefore = new int[keys.length + 1];
      for (int i = 0; i < keys.length; i++) {
        deletionsBefore[i + 1] = deletionsBefore[i] + (deletion(stamps[i]) ? 1 : 0);
      }
    }
  }

  /** The entries from one index of a table to before another, never none. */
  private static final class Slice {
    final long id;
    final Table table;
    int from;
    final int to;
    Segment home;

    /** As policies saw it last: what does not change is told by the same object. */
    SliceFacts facts;

    Slice(long id, Table table, int from, int to) {
      this.id = id;
      this.table = table;
      this.from = from;
      this.to = to;
    }

    int low() {
      return table.keys[from];
    }

    int high() {
      return table.keys[to - 1];
    }

    int entries() {
      return to - from;
    }

    boolean overlaps(Slice other) {
      return low() <= other.high() && other.low() <= high();
    }

    /** The index of a key, negative if it is not there. */
    int find(int key) {
      return Arrays.binarySearch(table.keys, from, to, key);
    }

    /** The index of the first key above, at least {@code from}. */
    int firstAbove(int key) {
      int at = find(key);
      return at >= 0 ? at + 1 : -at - 1;
    }
  }

  /** Slices newest first, never none while it is in a run. */
  private static final class Segment {
    final List<Slice> slices = new ArrayList<>();
    final long group;
    final int parents;
    Run home;
    SegmentFacts facts;

    Segment(long group, int parents) {
      this.group = group;
      this.parents = parents;
    }

    void add(Slice slice) {
      slices.add(slice);
      slice.home = this;
    }

    int low() {
      int low = Integer.MAX_VALUE;
      for (int i = 0; i < slices.size(); i++) {
        low = Math.min(low, slices.get(i).low());
      }
      return low;
    }
  }

  /** Segments by low key under ADJACENT; under FREE, where they overlap, by the id of a slice. */
  private static final class Run {
    final long id;
    final TreeMap<Long, Segment> segments = new TreeMap<>();
    final Set<Long> sources = new HashSet<>();
    RunFacts facts;

    Run(long id) {
      this.id = id;
    }
  }

  private static final long RUNS_PER_LEVEL = 1_000_000;

  private final boolean free;
  private final int entryBytes;
  private final long tableBytes;
  private final int entriesPerTable;
  private final List<List<Run>> levels = new ArrayList<>();
  private final Map<Long, Slice> slices = new HashMap<>();
  private final List<Job> jobs = new ArrayList<>();
  private final Map<Integer, Long> newest = new HashMap<>();
  private final Set<Long> requests = new HashSet<>();
  private long ids;
  private long sequence;
  private long flushedEntries;
  private long mergedEntries;
  private long movedEntries;
  private long diskBytes;
  private int deletionBytes;
  private boolean purges;
  private boolean keeps;
  private int merges;
  private int moves;
  private int delays;
  private int drops;

  /** An empty store whose merges cut tables at the given bytes. */
  public ShapeStore(MergeRule rule, long tableBytes, int entryBytes) {
    this.free = rule == MergeRule.FREE;
    this.entryBytes = entryBytes;
    this.tableBytes = tableBytes;
    this.deletionBytes = entryBytes;
    this.entriesPerTable = Math.toIntExact(Math.max(1, tableBytes / entryBytes));
    levels.add(new ArrayList<>());
  }

  /**
   * From now on a deletion has a fifth of the bytes of a value, a merge leaves out deletions over
   * which nothing older can lie, and policies hear how many entries deletions may hide.
   */
  public ShapeStore purging() {
    deletionBytes = Math.max(1, entryBytes / 5);
    purges = true;
    return this;
  }

  /** Like {@link #purging}, but merges keep all deletions, as those too young to purge. */
  public ShapeStore keepingDeletions() {
    purging();
    keeps = true;
    return this;
  }

  private long bytes(Table table, int from, int to) {
    long deletions = table.deletionsBefore[to] - table.deletionsBefore[from];
    return (to - from - deletions) * entryBytes + deletions * deletionBytes;
  }

  private long bytes(Table table) {
    return bytes(table, 0, table.keys.length);
  }

  private static boolean deletion(long stamp) {
    return (stamp & 1) == 1;
  }

  /** Writes keys as the newest run of level 0, cut into tables. */
  public void flush(int... keys) {
    place(0, keys);
  }

  /** Deletes keys by a flush that holds nothing else. */
  public void flushDeletions(int... keys) {
    lay(0, 1, keys);
  }

  /** Writes and deletes keys by one flush; a key in both is deleted. */
  public void flush(Collection<Integer> written, Collection<Integer> deleted) {
    TreeMap<Integer, Integer> kinds = new TreeMap<>();
    written.forEach(key -> kinds.put(key, 0));
    deleted.forEach(key -> kinds.put(key, 1));
    int[] keys = kinds.keySet().stream().mapToInt(key -> key).toArray();
    long[] stamps = new long[keys.length];
    for (int i = 0; i < keys.length; i++) {
      stamps[i] = 2 * ++sequence + kinds.get(keys[i]);
      newest.put(keys[i], stamps[i]);
    }
    addTables(free ? onlyRun(0) : newRun(0), keys, stamps);
    flushedEntries += keys.length;
  }

  /**
   * Lays keys down as the newest run of a level, as if just written; returns the run's id. Legal
   * under ADJACENT only while no newer run holds any of the ranks between them.
   */
  public long place(int level, int... keys) {
    return lay(level, 0, keys);
  }

  private long lay(int level, int deletion, int... keys) {
    int[] sorted = Arrays.stream(keys).sorted().distinct().toArray();
    long[] stamps = new long[sorted.length];
    for (int i = 0; i < sorted.length; i++) {
      stamps[i] = 2 * ++sequence + deletion;
      newest.put(sorted[i], stamps[i]);
    }
    Run run = free ? onlyRun(level) : newRun(level);
    addTables(run, sorted, stamps);
    flushedEntries += sorted.length;
    return run.id;
  }

  /** Names runs as sources of another, as a plan that began to fill it would have done. */
  public void feed(long run, Set<Long> sources) {
    for (List<Run> runs : levels) {
      runs.stream().filter(r -> r.id == run).forEach(r -> r.sources.addAll(sources));
    }
  }

  /** Claims a slice's table, or frees it, as work that no policy planned would do. */
  public void claim(long slice, boolean claimed) {
    slices.get(slice).table.claimed = claimed;
  }

  /**
   * Reads a key as far as policies hear of it: the first segment from the newest on whose range
   * holds the key and that has so many parents is asked to be merged; under FREE the first table
   * that so many tables of its level lie over, itself counted.
   */
  public void read(int key, int mergeOnRead) {
    Shape shape = shape();
    for (int level = free ? 1 : 0; level < shape.levels().size(); level++) {
      List<SegmentFacts> met = new ArrayList<>();
      for (RunFacts run : shape.levels().get(level).runs()) {
        met.addAll(run.overlapping(key, key));
      }
      for (SegmentFacts segment : met) {
        if ((free ? met.size() : segment.parents()) >= mergeOnRead) {
          requests.add(free ? segment.slices().get(0).slice() : segment.group());
          return;
        }
      }
    }
  }

  /** The store as policies see it. */
  public Shape shape() {
    List<LevelFacts> facts = new ArrayList<>();
    for (int level = 0; level < levels.size(); level++) {
      facts.add(new LevelFacts(free ? coloured(level) : kept(level)));
    }
    List<Shape.RunningPlan> running =
        jobs.stream()
            .map(
                job ->
                    new Shape.RunningPlan(
                        job.target.level(), free ? Target.NEW_RUN : job.run.id, job.low, job.high))
            .toList();
    forgetRequests();
    return new Shape(free ? MergeRule.FREE : MergeRule.ADJACENT, facts, running, requests);
  }

  private void forgetRequests() {
    if (!requests.isEmpty()) {
      Set<Long> known = new HashSet<>(free ? slices.keySet() : Set.of());
      slices.values().forEach(slice -> known.add(slice.home.group));
      requests.retainAll(known);
    }
  }

  /** Carries a plan out at once. */
  public void apply(Plan plan) {
    if (plan instanceof Plan.Merge merge) {
      step(begin(merge), Integer.MAX_VALUE);
    } else if (plan instanceof Plan.Delay delay && !free) {
      if (delay.stays()) {
        cut(delay);
      } else {
        delay(delay);
      }
    } else if (plan instanceof Plan.Drop drop) {
      drop(drop);
    } else {
      move((Plan.Placing) plan);
    }
  }

  /** Starts a merge: claims the tables of its inputs and makes its run. */
  public Job begin(Plan.Merge plan) {
    Job job = new Job(plan.target(), inAgeOrder(plan.slices()), targetRun(plan.target()));
    job.tables.forEach(table -> table.claimed = true);
    jobs.add(job);
    merges++;
    return job;
  }

  /** Writes up to so many tables of a merge and releases what they cover; false once done. */
  public boolean step(Job job, int tables) {
    int limit = (int) Math.min(Integer.MAX_VALUE, (long) tables * entriesPerTable);
    Entries merged = Entries.merge(job.inputs, limit, free);
    int cut = merged.keys[merged.keys.length - 1];
    List<Slice> older = purges ? older(job.inputs) : List.of();
    for (Segment segment : homes(job.inputs)) {
      Run run = segment.home;
      remove(segment);
      for (Slice slice : List.copyOf(segment.slices)) {
        if (job.inputs.contains(slice)) {
          slice.from = Math.max(slice.from, slice.firstAbove(cut));
          if (slice.from >= slice.to) {
            job.inputs.remove(slice);
            forget(slice);
          }
        }
      }
      if (!segment.slices.isEmpty()) {
        put(run, segment);
      }
    }
    int[] kept = purges && !keeps ? keptOf(merged, older) : null;
    int[] keys =
        kept == null ? merged.keys : Arrays.stream(kept).map(i -> merged.keys[i]).toArray();
    long[] stamps =
        kept == null
            ? merged.stamps
            : Arrays.stream(kept).mapToLong(i -> merged.stamps[i]).toArray();
    addTables(job.run, keys, stamps);
    mergedEntries += keys.length;
    if (job.inputs.isEmpty()) {
      abandon(job);
      return false;
    }
    return true;
  }

  /** The indexes of the entries that stay: all but deletions over which nothing older can lie. */
  private static int[] keptOf(Entries merged, List<Slice> older) {
    return IntStream.range(0, merged.keys.length)
        .filter(
            i ->
                !deletion(merged.stamps[i])
                    || older.stream()
                        .anyMatch(s -> s.low() <= merged.keys[i] && merged.keys[i] <= s.high()))
        .toArray();
  }

  /** The slices outside a merge that may hold older data: from its newest run on, or any. */
  private List<Slice> older(List<Slice> inputs) {
    Set<Slice> own = new HashSet<>(inputs);
    List<Slice> older = new ArrayList<>();
    boolean reached = free;
    for (List<Run> runs : levels) {
      for (Run run : runs) {
        List<Slice> all = new ArrayList<>();
        run.segments.values().forEach(segment -> all.addAll(segment.slices));
        reached |= all.stream().anyMatch(own::contains);
        if (reached) {
          all.stream().filter(slice -> !own.contains(slice)).forEach(older::add);
        }
      }
    }
    return older;
  }

  /** Ends a merge where it stands: what it wrote stays, what it did not consume is free again. */
  public void abandon(Job job) {
    job.tables.forEach(table -> table.claimed = false);
    jobs.remove(job);
    tidy();
  }

  private void move(Plan.Placing plan) {
    Run run = targetRun(plan.target());
    for (long id : plan.slices()) {
      Slice slice = slices.get(id);
      movedEntries += slice.entries();
      takeOut(slice);
      put(run, alone(slice));
    }
    moves += plan instanceof Plan.Move ? 1 : 0;
    delays += plan instanceof Plan.Delay ? 1 : 0;
    tidy();
  }

  private void drop(Plan.Drop plan) {
    for (long id : plan.slices()) {
      Slice slice = slices.get(id);
      takeOut(slice);
      forget(slice);
    }
    drops++;
    tidy();
  }

  /** Cuts segments in two, which stay in their run and group. */
  private void cut(Plan.Delay plan) {
    int end = slices.get(plan.after()).high();
    for (Segment segment : homes(inAgeOrder(plan.slices()))) {
      Run run = segment.home;
      remove(segment);
      Segment below = new Segment(segment.group, segment.parents);
      Segment above = new Segment(segment.group, segment.parents);
      for (Slice slice : List.copyOf(segment.slices)) {
        int cut = Math.min(slice.to, Math.max(slice.from, slice.firstAbove(end)));
        if (slice.from < cut) {
          below.add(remember(new Slice(++ids, slice.table, slice.from, cut)));
        }
        if (cut < slice.to) {
          above.add(remember(new Slice(++ids, slice.table, cut, slice.to)));
        }
        forget(slice);
      }
      put(run, below);
      put(run, above);
    }
    delays++;
    tidy();
  }

  /** Regroups segments, in the steps that {@link Plan.Delay} lists. */
  private void delay(Plan.Delay plan) {
    List<Slice> line = inAgeOrder(plan.slices());
    Run run = targetRun(plan.target());
    int parents = (int) line.stream().map(slice -> slice.table).distinct().count();
    homes(line).forEach(this::remove);
    line.forEach(slice -> movedEntries += slice.entries());
    List<Slice> united = united(line);
    line.forEach(this::forget);
    long group = ++ids;
    int below = -1;
    for (int high : cuts(united, plan.segments())) {
      Segment segment = new Segment(group, parents);
      for (Slice slice : united) {
        int from = Math.max(slice.from, slice.firstAbove(below));
        int to = slice.firstAbove(high);
        if (from < to) {
          segment.add(remember(new Slice(++ids, slice.table, from, to)));
        }
      }
      put(run, segment);
      below = high;
    }
    delays++;
    tidy();
  }

  /** Joins slices of one table that touch, as {@link Plan.Delay} says. */
  private static List<Slice> united(List<Slice> line) {
    List<Slice> united = new ArrayList<>();
    for (Slice later : line) {
      int at = united.size() - 1;
      while (at >= 0 && !touch(united.get(at), later)) {
        at--;
      }
      if (at < 0) {
        united.add(later);
        continue;
      }
      Slice first = united.get(at);
      int from = Math.min(first.from, later.from);
      Slice both = new Slice(0, later.table, from, Math.max(first.to, later.to));
      List<Slice> between = united.subList(at + 1, united.size());
      if (between.stream().noneMatch(later::overlaps)) {
        united.set(at, both);
      } else if (between.stream().noneMatch(first::overlaps)) {
        united.remove(at);
        united.add(both);
      } else {
        united.add(later);
      }
    }
    return united;
  }

  private static boolean touch(Slice a, Slice b) {
    return a.table == b.table && (a.to == b.from || b.to == a.from);
  }

  /** The highest keys of so many segments of equal entries, or of fewer. */
  private static Collection<Integer> cuts(List<Slice> line, int segments) {
    int[] keys =
        line.stream()
            .flatMapToInt(slice -> Arrays.stream(slice.table.keys, slice.from, slice.to))
            .sorted()
            .toArray();
    Set<Integer> highs = new LinkedHashSet<>();
    for (int i = 1; i <= segments; i++) {
      highs.add(keys[Math.max(0, (int) ((long) keys.length * i / segments) - 1)]);
    }
    return highs;
  }

  /** The slices named, newest run first, in a segment newest first. */
  private List<Slice> inAgeOrder(List<Long> named) {
    Set<Long> wanted = new HashSet<>(named);
    Map<Run, TreeMap<Long, Segment>> homes = new HashMap<>();
    for (long id : wanted) {
      Slice slice = slices.get(id);
      if (slice != null) {
        Segment home = slice.home;
        homes.computeIfAbsent(home.home, run -> new TreeMap<>()).put(place(home), home);
      }
    }
    List<Slice> ordered = new ArrayList<>();
    for (List<Run> runs : levels) {
      for (Run run : runs) {
        for (Segment segment : homes.getOrDefault(run, new TreeMap<>()).values()) {
          for (Slice slice : segment.slices) {
            if (wanted.contains(slice.id)) {
              ordered.add(slice);
            }
          }
        }
      }
    }
    return ordered;
  }

  private static Set<Segment> homes(List<Slice> slices) {
    Set<Segment> homes = new LinkedHashSet<>();
    slices.forEach(slice -> homes.add(slice.home));
    return homes;
  }

  /** What a lookup finds: the sequence number of a value, or -1. */
  public long get(int key) {
    long stamp = stamp(key);
    return stamp < 0 || deletion(stamp) ? -1 : stamp / 2;
  }

  private long stamp(int key) {
    long found = -1;
    for (List<Run> runs : levels) {
      for (Run run : runs) {
        for (Segment segment : free ? run.segments.values() : holding(run, key)) {
          for (Slice slice : segment.slices) {
            int at = slice.find(key);
            if (at >= 0 && !free) {
              return slice.table.stamps[at];
            }
            found = at >= 0 ? Math.max(found, slice.table.stamps[at]) : found;
          }
        }
      }
    }
    return found;
  }

  private static List<Segment> holding(Run run, int key) {
    Map.Entry<Long, Segment> entry = run.segments.floorEntry((long) key);
    return entry == null ? List.of() : List.of(entry.getValue());
  }

  /** A key that a lookup answers wrongly, as a message; empty if all are right. */
  public String wrongKeys() {
    for (Map.Entry<Integer, Long> entry : newest.entrySet()) {
      long found = get(entry.getKey());
      long right = deletion(entry.getValue()) ? -1 : entry.getValue() / 2;
      if (found != right) {
        return "key " + entry.getKey() + " is " + found + ", not " + right;
      }
    }
    return "";
  }

  /** Slices whose range covers a key. */
  public int slicesOver(int key) {
    int over = 0;
    for (Slice slice : slices.values()) {
      over += slice.low() <= key && key <= slice.high() ? 1 : 0;
    }
    return over;
  }

  /** Bytes written by flushes and merges, over bytes flushed. */
  public double writeAmplification() {
    return (double) (flushedEntries + mergedEntries) / flushedEntries;
  }

  /** Bytes that merges have written. */
  public long mergedBytes() {
    return mergedEntries * entryBytes;
  }

  /** Bytes that moves and delays have carried. */
  public long movedBytes() {
    return movedEntries * entryBytes;
  }

  /** Bytes of all keys ever flushed, overwritten ones counted again. */
  public long flushedBytes() {
    return flushedEntries * entryBytes;
  }

  /** Bytes of all tables that some slice shows. */
  public long diskBytes() {
    return diskBytes;
  }

  /** Bytes of the keys that a lookup finds. */
  public long liveBytes() {
    return newest.values().stream().filter(stamp -> !deletion(stamp)).count() * entryBytes;
  }

  /** Bytes of the distinct keys ever written. */
  public long keyBytes() {
    return (long) newest.size() * entryBytes;
  }

  /** Merges begun. */
  public int merges() {
    return merges;
  }

  /** Moves done. */
  public int moves() {
    return moves;
  }

  /** Delays done. */
  public int delays() {
    return delays;
  }

  /** Drops done. */
  public int drops() {
    return drops;
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
      List<SegmentFacts> segments = new ArrayList<>(run.segments.size());
      run.segments.values().forEach(segment -> segments.add(facts(segment)));
      if (run.facts == null
          || !run.facts.sources().equals(run.sources)
          || !same(run.facts.segments(), segments)) {
        run.facts = new RunFacts(run.id, segments, run.sources);
      }
      runs.add(run.facts);
    }
    return runs;
  }

  private List<RunFacts> coloured(int level) {
    List<Segment> sorted = new ArrayList<>();
    levels.get(level).forEach(run -> sorted.addAll(run.segments.values()));
    sorted.sort(Comparator.comparingInt(Segment::low).thenComparingLong(segment -> place(segment)));
    List<List<SegmentFacts>> colours = new ArrayList<>();
    for (Segment segment : sorted) {
      int colour = 0;
      while (colour < colours.size()
          && colours.get(colour).get(colours.get(colour).size() - 1).high() >= segment.low()) {
        colour++;
      }
      if (colour == colours.size()) {
        colours.add(new ArrayList<>());
      }
      colours.get(colour).add(facts(segment));
    }
    List<RunFacts> runs = new ArrayList<>();
    for (List<SegmentFacts> colour : colours) {
      runs.add(new RunFacts(RUNS_PER_LEVEL * level + runs.size(), colour, Set.of()));
    }
    return runs;
  }

  private SegmentFacts facts(Segment segment) {
    List<SliceFacts> shown = new ArrayList<>(segment.slices.size());
    segment.slices.forEach(slice -> shown.add(facts(slice)));
    if (segment.facts == null || !same(segment.facts.slices(), shown)) {
      segment.facts = new SegmentFacts(shown, segment.group, segment.parents);
    }
    return segment.facts;
  }

  /**
   * Lets values of each table end with one in so many chances. They still count as entries; the
   * tables that a merge writes have none.
   */
  public void endSome(Random random, int oneIn) {
    for (SliceFacts slice : ShapeLaws.slices(shape())) {
      Table table = slices.get(slice.slice()).table;
      if (random.nextInt(oneIn) == 0) {
        table.ended += random.nextInt(ENDED_PARTS + 1 - table.ended);
      }
    }
  }

  private SliceFacts facts(Slice slice) {
    Table table = slice.table;
    SliceFacts last = slice.facts;
    long bytes = bytes(table, slice.from, slice.to);
    int deletions = table.deletionsBefore[slice.to] - table.deletionsBefore[slice.from];
    long ended = bytes / ENDED_PARTS * table.ended;
    if (last == null
        || last.claimed() != table.claimed
        || last.entries() != slice.entries()
        || last.ended() != ended) {
      slice.facts =
          new SliceFacts(
              slice.id,
              table.id,
              slice.low(),
              slice.high(),
              bytes,
              slice.entries(),
              deletions,
              bytes(table),
              table.claimed,
              ended,
              purges ? deletions : 0);
    }
    return slice.facts;
  }

  private static boolean same(List<?> last, List<?> now) {
    if (last.size() != now.size()) {
      return false;
    }
    for (int i = 0; i < now.size(); i++) {
      if (last.get(i) != now.get(i)) {
        return false;
      }
    }
    return true;
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

  private void addTables(Run run, int[] keys, long[] stamps) {
    for (int from = 0, to; from < keys.length; from = to) {
      to = purges ? end(stamps, from) : Math.min(keys.length, from + entriesPerTable);
      Table table =
          new Table(
              ++ids, Arrays.copyOfRange(keys, from, to), Arrays.copyOfRange(stamps, from, to));
      put(run, alone(remember(new Slice(table.id, table, 0, to - from))));
    }
  }

  /** The end of a table that begins at an entry. */
  private int end(long[] stamps, int from) {
    long bytes = 0;
    int to = from;
    while (to < stamps.length && (to == from || bytes < tableBytes)) {
      bytes += deletion(stamps[to++]) ? deletionBytes : entryBytes;
    }
    return to;
  }

  private Slice remember(Slice slice) {
    slices.put(slice.id, slice);
    diskBytes += slice.table.slices++ == 0 ? bytes(slice.table) : 0;
    return slice;
  }

  private void forget(Slice slice) {
    slice.home.slices.remove(slice);
    slices.remove(slice.id);
    diskBytes -= --slice.table.slices == 0 ? bytes(slice.table) : 0;
  }

  private static Segment alone(Slice slice) {
    Segment segment = new Segment(0, 0);
    segment.add(slice);
    return segment;
  }

  /** Takes a slice out of its segment, which stays if it has others. */
  private void takeOut(Slice slice) {
    Segment segment = slice.home;
    Run run = segment.home;
    remove(segment);
    segment.slices.remove(slice);
    if (!segment.slices.isEmpty()) {
      put(run, segment);
    }
  }

  private void put(Run run, Segment segment) {
    Segment other = run.segments.put(place(segment), segment);
    if (other != null) {
      throw new AssertionError(
          "slices "
              + other.slices.get(0).id
              + " and "
              + segment.slices.get(0).id
              + " share a place");
    }
    segment.home = run;
  }

  private void remove(Segment segment) {
    segment.home.segments.remove(place(segment));
  }

  private long place(Segment segment) {
    return free ? segment.slices.get(0).id : segment.low();
  }

  /** Empty runs that no plan under way fills vanish, and feed others no more. */
  private void tidy() {
    if (!free) {
      levels.forEach(runs -> runs.removeIf(this::isIdle));
      Set<Long> living = new HashSet<>();
      levels.forEach(runs -> runs.forEach(run -> living.add(run.id)));
      levels.forEach(runs -> runs.forEach(run -> run.sources.retainAll(living)));
    }
  }

  private boolean isIdle(Run run) {
    return run.segments.isEmpty() && jobs.stream().noneMatch(job -> job.run == run);
  }

  private record Entries(int[] keys, long[] stamps) {

    /**
     * The first entries of a merge. Inputs stand in the order of age, so the first of equal keys is
     * the newest by place; under FREE the one of the largest stamp is.
     */
    static Entries merge(List<Slice> inputs, int limit, boolean free) {
      int total = inputs.stream().mapToInt(Slice::entries).sum();
      long[] order = new long[total];
      long[] stamps = new long[total];
      int n = 0;
      for (Slice slice : inputs) {
        for (int i = slice.from; i < slice.to; i++) {
          order[n] = (long) slice.table.keys[i] << Integer.SIZE | n;
          stamps[n++] = slice.table.stamps[i];
        }
      }
      Arrays.sort(order);
      int[] keys = new int[total];
      long[] chosen = new long[total];
      int out = 0;
      for (long at : order) {
        int key = (int) (at >>> Integer.SIZE);
        long found = stamps[(int) at];
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
