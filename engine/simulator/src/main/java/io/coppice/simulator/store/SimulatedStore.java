// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.simulator.store;

import io.coppice.policy.Budget;
import io.coppice.policy.MergeRule;
import io.coppice.policy.Plan;
import io.coppice.policy.Policy;
import io.coppice.policy.Shape;
import io.coppice.policy.Target;
import io.coppice.policy.step.PlanSearch;
import io.coppice.policy.step.TokenShards;
import io.coppice.simulator.keys.ContentModel;
import io.coppice.simulator.keys.OlderRanks;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;

/**
 * Store without a disk: a {@link ContentModel} produces the contents of its tables, and plans
 * arrange its runs. Each plan is carried out completely before the next. The disk space that the
 * steps of a merge take is computed, see {@link Effect}.
 *
 * <p>Under ADJACENT the store keeps runs like the engine. The sources of a new run are those that
 * the plan names; without any, they are the runs of its inputs. Under FREE it keeps only levels,
 * like Cassandra. Under FREE a delay moves its tables, and a merge runs in steps within the limits
 * of {@link MergeStepSettings}. Flushes and outputs are then cut at bounds of shards. Used by one
 * thread.
 */
public final class SimulatedStore<C> {

  /**
   * Effect of a plan on the disk.
   *
   * @param readBytes bytes of a merge's inputs
   * @param writtenBytes bytes of a merge's outputs
   * @param movedBytes bytes moved by metadata alone
   * @param peakBytes largest growth of the disk during the plan: outputs written minus inputs
   *     released
   * @param keptBytes growth of the disk after the plan; negative if inputs were released
   */
  public record Effect(
      long readBytes, long writtenBytes, long movedBytes, long peakBytes, long keptBytes) {}

  private final MergeRule rule;
  private final ContentModel<C> model;
  private final MergeStepSettings settings;
  private final SimulatedLevels<C> layers;
  private final Map<Long, SimulatedSlice<C>> slices = new HashMap<>();
  private final Map<Long, Integer> segmentsOfGroup = new HashMap<>();
  // Number of lookups that have reached each present group, by its id in Shape.requests.
  private final Map<Long, Long> met = new HashMap<>();
  private long numbers;
  private long diskBytes;

  public SimulatedStore(MergeRule rule, ContentModel<C> model, MergeStepSettings settings) {
    this.rule = rule;
    this.model = model;
    this.settings = settings;
    layers = rule == MergeRule.FREE ? new FreeLevels<>() : new AdjacentLevels<>(this::number);
  }

  private long number() {
    return ++numbers;
  }

  /** Returns the store as policies see it. */
  public Shape shape() {
    return new Shape(rule, layers.facts(), List.of());
  }

  /** Returns the limit on transient space now, in bytes; {@link Long#MAX_VALUE} for none. */
  public long transientLimit() {
    return rule == MergeRule.FREE ? settings.limit(diskBytes).bytes(0) : settings.transientBytes();
  }

  /**
   * Asks a policy for a plan that fits the limit on transient space. Under FREE the plan may exceed
   * the limit as a whole; the store then merges it in rounds.
   *
   * @param shape the store as the policy sees it
   */
  public PlanSearch.Found next(Policy policy, Shape shape) {
    if (rule == MergeRule.ADJACENT) {
      Budget budget = new Budget(1, settings.transientBytes());
      return new PlanSearch.Found(budget, policy.next(shape, budget), Optional.empty());
    }
    PlanSearch.Tables<SimulatedSlice<C>> tables =
        new PlanSearch.Tables<>(
            slices::get, table -> table.home.home.level, inputs -> false, inputs -> Long.MAX_VALUE);
    return new PlanSearch<>(
            tables, settings.limit(diskBytes), 0, settings.stepBytes(), settings.tableBytes())
        .search(policy, shape, Long.MAX_VALUE);
  }

  /** Returns the levels from level 0 on, each with its newest run first. */
  public List<List<SimulatedRun<C>>> levels() {
    return layers.levels();
  }

  /** Returns the bytes of all tables that some slice shows. */
  public long diskBytes() {
    return diskBytes;
  }

  /**
   * Returns the number of lookups that have reached each group, by its id in the shape's requests.
   */
  Map<Long, Long> lookups() {
    return Collections.unmodifiableMap(met);
  }

  /** Returns whether a lookup may request a merge of some group. */
  boolean mayAsk() {
    return rule == MergeRule.FREE || !segmentsOfGroup.isEmpty();
  }

  /**
   * Segment of the initial store.
   *
   * @param slices contents, newest first; each becomes a table of its own
   * @param group group of the segment, 0 for a real segment
   * @param parents number of parents, 0 for a real segment
   */
  public record Found<C>(List<C> slices, long group, int parents) {}

  /** Adds a run of the initial store as the newest of its level. */
  public void restore(int level, List<Found<C>> run) {
    List<SimulatedSegment<C>> segments = new ArrayList<>();
    for (Found<C> found : run) {
      List<SimulatedSegment<C>> alone = write(found.slices, Set.of());
      if (found.group == 0 || rule == MergeRule.FREE) {
        segments.addAll(alone);
      } else {
        List<SimulatedSlice<C>> together = new ArrayList<>();
        alone.forEach(segment -> together.addAll(segment.slices()));
        segments.add(new SimulatedSegment<>(together, found.group, found.parents));
        segmentsOfGroup.merge(found.group, 1, Integer::sum);
        numbers = Math.max(numbers, found.group);
      }
    }
    layers.add(layers.run(Target.newest(level), Set.of()), segments);
  }

  /**
   * Adds a flush as the newest run of level 0.
   *
   * @return the bytes written
   */
  public long flush(List<C> contents) {
    long before = diskBytes;
    List<C> cut = rule == MergeRule.FREE ? cutFlush(contents) : contents;
    List<SimulatedSegment<C>> tables = write(cut, Set.of());
    layers.flush(tables);
    return diskBytes - before;
  }

  private List<C> cutFlush(List<C> contents) {
    C whole = model.union(contents, OlderRanks.ALL);
    int shards = TokenShards.countForFlush(model.bytes(whole), settings.tableBytes(), 1);
    return new TokenCutter(shards, 0, Double.MAX_VALUE, settings.positions()).cut(whole, model);
  }

  /**
   * Looks up a rank, newest run first, until it finds an entry or reaches a virtual segment with at
   * least {@code mergeOnRead} parents. Such a lookup counts for the group of that segment.
   *
   * <p>Under FREE, the lookup checks all levels below level 0. If at least {@code mergeOnRead}
   * tables of a level cover the rank, it counts for each of them and stops.
   */
  void read(int rank, int mergeOnRead) {
    if (rule == MergeRule.FREE) {
      readTables(rank, mergeOnRead);
      return;
    }
    for (List<SimulatedRun<C>> level : layers.levels()) {
      for (SimulatedRun<C> run : level) {
        SimulatedSegment<C> segment = run.at(rank);
        if (segment == null) {
          continue;
        }
        if (segment.facts().virtual() && segment.facts().parents() >= mergeOnRead) {
          met.merge(segment.facts().group(), 1L, Long::sum);
          return;
        }
        if (finds(segment, rank)) {
          return;
        }
      }
    }
  }

  private void readTables(int rank, int mergeOnRead) {
    List<List<SimulatedRun<C>>> levels = layers.levels();
    for (List<SimulatedRun<C>> level : levels.subList(1, levels.size())) {
      List<SimulatedSegment<C>> over =
          level.stream().map(run -> run.at(rank)).filter(Objects::nonNull).toList();
      if (over.size() >= mergeOnRead) {
        over.forEach(segment -> met.merge(segment.slices().get(0).facts.slice(), 1L, Long::sum));
        return;
      }
    }
  }

  /**
   * Returns the number of tables that a lookup of a rank passes to their filters: those that cover
   * the rank, from the newest to the one that ends the lookup.
   */
  int checkedTables(int rank) {
    int checked = 0;
    for (List<SimulatedRun<C>> level : layers.levels()) {
      for (SimulatedRun<C> run : level) {
        SimulatedSegment<C> segment = run.at(rank);
        for (int i = 0; segment != null && i < segment.slices().size(); i++) {
          SimulatedSlice<C> slice = segment.slices().get(i);
          if (slice.low() <= rank && rank <= slice.high()) {
            checked++;
            if (model.finds(slice.content, rank)) {
              return checked;
            }
          }
        }
      }
    }
    return checked;
  }

  private boolean finds(SimulatedSegment<C> segment, int rank) {
    for (SimulatedSlice<C> slice : segment.slices()) {
      if (slice.low() <= rank && rank <= slice.high() && model.finds(slice.content, rank)) {
        return true;
      }
    }
    return false;
  }

  /** Carries out a plan, which must be legal for the present shape. */
  public Effect apply(Plan plan) {
    List<SimulatedSlice<C>> inputs = new ArrayList<>(plan.slices().size());
    for (long id : plan.slices()) {
      inputs.add(slices.get(id));
    }
    Effect effect;
    if (plan instanceof Plan.Merge merge) {
      effect = rule == MergeRule.FREE ? mergeTables(merge, inputs) : merge(merge, inputs);
    } else if (plan instanceof Plan.Delay delay && rule == MergeRule.ADJACENT) {
      effect = delay.stays() ? cut(delay, inputs) : delay(delay, inputs);
    } else if (plan instanceof Plan.Placing move) {
      effect = move(move.target(), inputs);
    } else {
      long before = diskBytes;
      takeOut(inputs);
      inputs.forEach(this::release);
      effect = new Effect(0, 0, 0, 0, diskBytes - before);
    }
    layers.tidy();
    return effect;
  }

  private Effect move(Target target, List<SimulatedSlice<C>> inputs) {
    SimulatedRun<C> run = layers.run(target, runsOf(inputs));
    long bytes = 0;
    List<SimulatedSegment<C>> alone = new ArrayList<>();
    List<SimulatedSlice<C>> parts = new ArrayList<>();
    for (SimulatedSlice<C> slice : inputs) {
      bytes += slice.facts.bytes();
      // A slice that moves without the others of its segment leaves its group.
      if (slice.home.slices().size() == 1 && !slice.home.facts().virtual()) {
        alone.add(slice.home);
      } else {
        parts.add(slice);
      }
    }
    layers.remove(alone);
    takeOut(parts);
    parts.forEach(slice -> alone.add(SimulatedSegment.of(slice)));
    alone.sort(Comparator.comparingInt(SimulatedSegment::low));
    layers.add(run, alone);
    return new Effect(0, 0, bytes, 0, 0);
  }

  /** Carries out all steps of a merge of whole tables. */
  private Effect mergeTables(Plan.Merge plan, List<SimulatedSlice<C>> planned) {
    newestFirst(planned);
    int threshold = plan.cleaningThreshold();
    SimulatedMerge<C> merge = new SimulatedMerge<>(settings, model, planned, threshold, diskBytes);
    List<SimulatedSlice<C>> inputs = merge.inputs();
    merge.unite(older(inputs));
    Set<SimulatedTable<C>> sources = tablesOf(inputs);
    int runs = runsOf(inputs).size();
    SimulatedRun<C> run = layers.run(plan.target(), Set.of());
    long before = diskBytes;
    long read = inputs.stream().mapToLong(slice -> slice.facts.bytes()).sum();
    long written = 0;
    long peak = 0;
    while (!merge.finished()) {
      SimulatedMerge.Step<C> step = merge.step();
      long start = diskBytes;
      layers.add(run, write(step.outputs(), sources));
      written += diskBytes - start;
      peak = Math.max(peak, diskBytes - before);
      takeOut(step.consumed());
      step.consumed().forEach(this::release);
    }
    peak = model.peakBytes(peak, runs, threshold);
    return new Effect(read, written, 0, peak, diskBytes - before);
  }

  private Effect merge(Plan.Merge plan, List<SimulatedSlice<C>> inputs) {
    newestFirst(inputs);
    long read = 0;
    List<C> contents = new ArrayList<>(inputs.size());
    for (SimulatedSlice<C> slice : inputs) {
      contents.add(slice.content);
      read += slice.facts.bytes();
    }
    Set<SimulatedRun<C>> sources = runsOf(inputs);
    SimulatedRun<C> run = layers.run(plan.target(), sources);
    List<C> outputs = model.merge(contents, older(inputs));
    long before = diskBytes;
    int threshold = plan.cleaningThreshold();
    long peak = model.peakBytes(peak(outputs, inputs, threshold), sources.size(), threshold);
    takeOut(inputs);
    inputs.forEach(this::release);
    long released = before - diskBytes;
    layers.add(run, write(outputs, tablesOf(inputs)));
    long written = diskBytes - before + released;
    return new Effect(read, written, 0, peak, diskBytes - before);
  }

  /**
   * Returns the ranks of other slices whose data the inputs, given newest first, may hide. Under
   * FREE a run's place says nothing of its age, therefore deeper levels count as older. Tables in
   * the same level do too if they have a flush older than the youngest of the inputs.
   */
  private OlderRanks older(List<SimulatedSlice<C>> inputs) {
    int low = Integer.MAX_VALUE;
    int high = -1;
    for (SimulatedSlice<C> slice : inputs) {
      if (slice.table.deletes) {
        low = Math.min(low, slice.low());
        high = Math.max(high, slice.high());
      }
    }
    List<int[]> ranges = new ArrayList<>();
    if (high < 0) {
      return OlderRanks.of(ranges);
    }
    Set<SimulatedSlice<C>> merged = new HashSet<>(inputs);
    SimulatedSlice<C> newest = inputs.get(0);
    boolean below = false;
    for (List<SimulatedRun<C>> level : layers.levels()) {
      for (SimulatedRun<C> run : level) {
        below |=
            rule == MergeRule.FREE ? run.level >= newest.home.home.level : run == newest.home.home;
        for (SimulatedSegment<C> segment :
            below ? run.over(low, high) : List.<SimulatedSegment<C>>of()) {
          for (SimulatedSlice<C> slice : segment.slices()) {
            boolean newer =
                rule == MergeRule.FREE
                    && run.level == newest.home.home.level
                    && slice.table.oldestFlush > newest.table.youngestFlush;
            if (!newer && !merged.contains(slice)) {
              ranges.add(new int[] {slice.low(), slice.high()});
            }
          }
        }
      }
    }
    return OlderRanks.of(ranges);
  }

  /**
   * Returns the peak growth of the disk by a merge as the engine runs it. After every {@code
   * cleaningThreshold} outputs except the last, the inputs that end at or before the last written
   * key are released; all other inputs are released at the end.
   */
  private long peak(List<C> outputs, List<SimulatedSlice<C>> inputs, int cleaningThreshold) {
    Map<SimulatedTable<C>, Integer> ends = new HashMap<>();
    inputs.forEach(slice -> ends.merge(slice.table, slice.high(), Math::max));
    List<SimulatedTable<C>> consumed = consumed(inputs);
    consumed.sort(Comparator.comparing(ends::get));
    long peak = 0;
    long growth = 0;
    int next = 0;
    for (int i = 0; i < outputs.size(); i++) {
      growth += model.bytes(outputs.get(i));
      boolean last = i == outputs.size() - 1;
      if (last || (cleaningThreshold > 0 && (i + 1) % cleaningThreshold == 0)) {
        peak = Math.max(peak, growth);
        int cut = last ? Integer.MAX_VALUE : model.high(outputs.get(i));
        while (next < consumed.size() && ends.get(consumed.get(next)) <= cut) {
          growth -= consumed.get(next++).bytes;
        }
      }
    }
    return peak;
  }

  /** Returns the tables whose slices are all among the inputs. */
  private List<SimulatedTable<C>> consumed(List<SimulatedSlice<C>> inputs) {
    Map<SimulatedTable<C>, Integer> seen = new HashMap<>();
    inputs.forEach(slice -> seen.merge(slice.table, 1, Integer::sum));
    List<SimulatedTable<C>> consumed = new ArrayList<>();
    for (SimulatedSlice<C> slice : inputs) {
      Integer count = seen.remove(slice.table);
      if (count != null && count == slice.table.slices) {
        consumed.add(slice.table);
      }
    }
    return consumed;
  }

  /**
   * Cuts the segments that contain the key to cut at in two. Both parts stay in their run and
   * group.
   */
  private Effect cut(Plan.Delay plan, List<SimulatedSlice<C>> inputs) {
    int end = slices.get(plan.after()).high();
    SimulatedRun<C> run = layers.run(plan.target(), runsOf(inputs));
    Set<SimulatedSegment<C>> whole = new LinkedHashSet<>();
    inputs.forEach(slice -> whole.add(slice.home));
    List<SimulatedSegment<C>> segments = new ArrayList<>();
    for (SimulatedSegment<C> segment : whole) {
      for (boolean above : new boolean[] {false, true}) {
        List<SimulatedSlice<C>> parts = new ArrayList<>();
        for (SimulatedSlice<C> slice : segment.slices()) {
          int low = above ? Math.max(end + 1, slice.low()) : slice.low();
          int high = above ? slice.high() : Math.min(end, slice.high());
          SimulatedSlice<C> part =
              low > high ? null : SimulatedSlice.window(slice.table, number(), low, high, model);
          if (part != null) {
            parts.add(part);
            slices.put(part.facts.slice(), part);
          }
        }
        if (!parts.isEmpty()) {
          long group = segment.facts().group();
          segments.add(new SimulatedSegment<>(parts, group, segment.facts().parents()));
          segmentsOfGroup.computeIfPresent(group, (id, count) -> count + 1);
        }
      }
    }
    long before = diskBytes;
    takeOut(inputs);
    inputs.forEach(this::release);
    layers.add(run, segments);
    return new Effect(0, 0, 0, 0, diskBytes - before);
  }

  /** Cuts the union of the inputs into virtual segments that share one list of parents. */
  private Effect delay(Plan.Delay plan, List<SimulatedSlice<C>> inputs) {
    newestFirst(inputs);
    SimulatedRun<C> run = layers.run(plan.target(), runsOf(inputs));
    Set<SimulatedTable<C>> parents = new HashSet<>();
    List<C> contents = new ArrayList<>();
    long bytes = 0;
    int low = Integer.MAX_VALUE;
    for (SimulatedSlice<C> slice : inputs) {
      parents.add(slice.table);
      contents.add(slice.content);
      bytes += slice.facts.bytes();
      low = Math.min(low, slice.low());
    }
    int[] cuts = model.cuts(contents, plan.segments());
    long before = diskBytes;
    long group = number();
    List<SimulatedSegment<C>> segments = new ArrayList<>();
    List<Piece<C>> joined = joined(inputs);
    for (int i = 0; i <= cuts.length; i++) {
      int from = i == 0 ? low : cuts[i - 1] + 1;
      int to = i == cuts.length ? Integer.MAX_VALUE : cuts[i];
      List<SimulatedSlice<C>> parts = new ArrayList<>();
      for (Piece<C> piece : joined) {
        int first = Math.max(from, piece.low);
        int last = Math.min(to, piece.high);
        SimulatedSlice<C> part =
            first > last ? null : SimulatedSlice.window(piece.table, number(), first, last, model);
        if (part != null) {
          parts.add(part);
        }
      }
      if (!parts.isEmpty()) {
        segments.add(new SimulatedSegment<>(parts, group, parents.size()));
      }
    }
    for (SimulatedSegment<C> segment : segments) {
      segment.slices().forEach(slice -> slices.put(slice.facts.slice(), slice));
    }
    segmentsOfGroup.put(group, segments.size());
    takeOut(inputs);
    inputs.forEach(this::release);
    layers.add(run, segments);
    return new Effect(0, 0, bytes, 0, diskBytes - before);
  }

  /** Window on a table, both ranks inclusive. */
  private record Piece<C>(SimulatedTable<C> table, int low, int high) {
    boolean meets(Piece<C> other) {
      return low <= other.high && other.low <= high;
    }

    /**
     * Returns whether this window and another one are windows on the same table, one ending where
     * the other begins.
     */
    boolean borders(Piece<C> other) {
      return table == other.table && (high + 1L == other.low || other.high + 1L == low);
    }

    Piece<C> with(Piece<C> other) {
      return new Piece<>(table, Math.min(low, other.low), Math.max(high, other.high));
    }
  }

  /**
   * Returns the windows of slices. Adjacent windows of one table are joined as {@link Plan.Delay}
   * specifies.
   */
  private List<Piece<C>> joined(List<SimulatedSlice<C>> newestFirst) {
    List<Piece<C>> joined = new ArrayList<>();
    for (SimulatedSlice<C> slice : newestFirst) {
      Piece<C> piece = new Piece<>(slice.table, slice.low(), slice.high());
      int at = joined.size() - 1;
      while (at >= 0 && !joined.get(at).borders(piece)) {
        at--;
      }
      List<Piece<C>> between = joined.subList(at + 1, joined.size());
      if (at >= 0 && between.stream().noneMatch(piece::meets)) {
        joined.set(at, joined.get(at).with(piece));
      } else if (at >= 0 && between.stream().noneMatch(joined.get(at)::meets)) {
        joined.add(joined.remove(at).with(piece));
      } else {
        joined.add(piece);
      }
    }
    return joined;
  }

  /** Sorts slices by run, newest first, then by rank, within a segment newest first. */
  private void newestFirst(List<SimulatedSlice<C>> inputs) {
    Map<SimulatedRun<C>, Integer> place = new HashMap<>();
    for (List<SimulatedRun<C>> level : layers.levels()) {
      for (SimulatedRun<C> run : level) {
        place.put(run, place.size());
      }
    }
    // Under FREE the flushes tell the age within a level; without deletions age is no matter.
    boolean byFlush =
        rule == MergeRule.FREE && inputs.stream().anyMatch(slice -> slice.table.deletes);
    Comparator<SimulatedSlice<C>> byAge =
        byFlush
            ? Comparator.<SimulatedSlice<C>>comparingInt(slice -> slice.home.home.level)
                .thenComparing(slice -> -slice.table.youngestFlush)
            : Comparator.comparingInt(slice -> place.get(slice.home.home));
    inputs.sort(
        byAge
            .thenComparingInt(slice -> slice.home.low())
            .thenComparingInt(slice -> slice.home.slices().indexOf(slice)));
  }

  private Set<SimulatedTable<C>> tablesOf(Collection<SimulatedSlice<C>> inputs) {
    Set<SimulatedTable<C>> tables = new HashSet<>();
    inputs.forEach(slice -> tables.add(slice.table));
    return tables;
  }

  private Set<SimulatedRun<C>> runsOf(Collection<SimulatedSlice<C>> inputs) {
    Set<SimulatedRun<C>> runs = new HashSet<>();
    inputs.forEach(slice -> runs.add(slice.home.home));
    return runs;
  }

  /** Removes slices from their segments, and segments without slices from their runs. */
  private void takeOut(Collection<SimulatedSlice<C>> gone) {
    Map<SimulatedSegment<C>, Set<SimulatedSlice<C>>> bySegment = new LinkedHashMap<>();
    for (SimulatedSlice<C> slice : gone) {
      bySegment.computeIfAbsent(slice.home, segment -> new HashSet<>()).add(slice);
    }
    List<SimulatedSegment<C>> emptied = new ArrayList<>(bySegment.size());
    bySegment.forEach(
        (segment, slices) -> {
          if (slices.size() == segment.slices().size()) {
            emptied.add(segment);
          } else {
            layers.shrink(segment, slices);
          }
        });
    layers.remove(emptied);
    for (SimulatedSegment<C> segment : emptied) {
      long group = segment.facts().group();
      if (group != 0
          && segmentsOfGroup.computeIfPresent(group, (id, left) -> left == 1 ? null : left - 1)
              == null) {
        met.remove(group);
      }
    }
  }

  private void release(SimulatedSlice<C> slice) {
    slices.remove(slice.facts.slice());
    if (rule == MergeRule.FREE) {
      met.remove(slice.facts.slice());
    }
    if (--slice.table.slices == 0) {
      diskBytes -= slice.table.bytes;
    }
  }

  private List<SimulatedSegment<C>> write(List<C> contents, Set<SimulatedTable<C>> sources) {
    List<SimulatedSegment<C>> segments = new ArrayList<>(contents.size());
    for (C content : contents) {
      SimulatedTable<C> table = new SimulatedTable<>(number(), content, sources, model);
      SimulatedSlice<C> slice = SimulatedSlice.whole(table, model);
      slices.put(table.number, slice);
      segments.add(SimulatedSegment.of(slice));
      diskBytes += table.bytes;
    }
    return segments;
  }
}
