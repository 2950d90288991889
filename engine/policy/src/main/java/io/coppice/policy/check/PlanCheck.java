// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.policy.check;

import io.coppice.policy.Budget;
import io.coppice.policy.Plan;
import io.coppice.policy.PlanCost;
import io.coppice.policy.RunFacts;
import io.coppice.policy.SegmentFacts;
import io.coppice.policy.Shape;
import io.coppice.policy.SliceFacts;
import io.coppice.policy.Target;
import io.coppice.policy.pick.CandidatePlan;
import io.coppice.policy.pick.PlacedSlice;
import io.coppice.policy.pick.PlanConflicts;
import io.coppice.policy.pick.PlanningView;
import io.coppice.policy.pick.TombstoneDropPicker;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;

/**
 * Check that refuses plans which could lose data or break a run, from any policy. Every host runs
 * it before it carries out a plan. It covers the laws that a plan and its shape alone decide; the
 * law numbers in its messages are those of {@code docs/explanation/policy-contract.md}. Its cost is
 * one pass over all slices of the shape, and further ones over the slices in the ranks of the plan.
 */
public final class PlanCheck {

  private final PlanningView view;
  private final Plan plan;
  private Target target;
  private final List<PlacedSlice> inputs = new ArrayList<>();
  private final long[] named;
  private final Set<Long> inputIds = new HashSet<>();

  private PlanCheck(Shape shape, Plan plan) {
    this.view = new PlanningView(shape);
    this.plan = plan;
    this.named = plan.slices().stream().mapToLong(Long::longValue).sorted().toArray();
  }

  /**
   * Returns a sentence with the number of the first law that the plan breaks and the slices at
   * fault, or empty if the plan is legal.
   *
   * @param maxLevel the deepest level the host can store, inclusive
   */
  public static Optional<String> fault(Shape shape, Plan plan, Budget budget, int maxLevel) {
    PlanCheck check = new PlanCheck(shape, plan);
    return check.unknownOrClaimed().or(() -> check.placing(budget, maxLevel));
  }

  private Optional<String> placing(Budget budget, int maxLevel) {
    if (plan instanceof Plan.Drop) {
      return dead();
    }
    target = ((Plan.Placing) plan).target();
    return level(maxLevel)
        .or(this::delay)
        .or(this::targetRun)
        .or(this::sources)
        .or(this::order)
        .or(this::space)
        .or(this::jobs)
        .or(() -> budget(budget));
  }

  /**
   * Checks a plan; a legal plan has no effect.
   *
   * @param maxLevel the deepest level the host can store, inclusive
   * @throws IllegalArgumentException if it breaks a law; the message names that law, the slices at
   *     fault and the plan
   */
  public static void check(Shape shape, Plan plan, Budget budget, int maxLevel) {
    fault(shape, plan, budget, maxLevel)
        .ifPresent(
            fault -> {
              throw new IllegalArgumentException(fault + "; refused: " + plan);
            });
  }

  private Optional<String> unknownOrClaimed() {
    Map<Long, PlacedSlice> byId = namedSlices();
    for (long id : plan.slices()) {
      PlacedSlice slice = byId.get(id);
      if (slice == null) {
        return broken(2, "slice " + id + " is not in the shape");
      }
      if (!inputIds.add(id)) {
        return broken(2, "slice " + id + " is named twice");
      }
      if (slice.claimed()) {
        return broken(2, "slice " + id + " is claimed by a plan under way");
      }
      inputs.add(slice);
    }
    return Optional.empty();
  }

  /** Returns all slices of every segment that holds an input, by id. */
  private Map<Long, PlacedSlice> namedSlices() {
    Map<Long, PlacedSlice> found = new HashMap<>();
    for (PlanningView.PlacedRun run : view.runs()) {
      for (SegmentFacts segment : run.facts().segments()) {
        for (SliceFacts slice : segment.slices()) {
          if (isInput(slice)) {
            for (PlacedSlice placed : run.slices(segment)) {
              found.put(placed.facts().slice(), placed);
            }
            break;
          }
        }
      }
    }
    return found;
  }

  private boolean isInput(SliceFacts slice) {
    return Arrays.binarySearch(named, slice.slice()) >= 0;
  }

  private int low() {
    return PlacedSlice.low(inputs);
  }

  private int high() {
    return PlacedSlice.high(inputs);
  }

  private Optional<String> level(int maxLevel) {
    int level = target.level();
    if (level > view.levels()) {
      return broken(
          8, "level " + level + " is more than one below the deepest, " + (view.levels() - 1));
    }
    if (level > maxLevel) {
      return broken(8, "level " + level + " is below the deepest that can be stored, " + maxLevel);
    }
    return Optional.empty();
  }

  private Optional<String> targetRun() {
    if (target.isNew() || joined().isPresent()) {
      return Optional.empty();
    }
    return broken(8, "run " + target.run() + " is not in level " + target.level());
  }

  private Optional<PlanningView.PlacedRun> joined() {
    return view.runs(target.level()).stream().filter(run -> run.id() == target.run()).findFirst();
  }

  /**
   * Returns a fault if a delay leaves out a part of a segment, takes too many tables for bounded
   * lookups, or cuts at an illegal key.
   */
  private Optional<String> delay() {
    if (!(plan instanceof Plan.Delay delay)) {
      return Optional.empty();
    }
    if (delay.stays() && !cut(delay.after())) {
      return broken(5, "slice " + delay.after() + " does not end inside segments of one run");
    }
    int tables = PlacedSlice.tables(inputs);
    if (tables > Plan.Delay.MAX_TABLES) {
      return broken(
          5, tables + " tables in one delay, at most " + Plan.Delay.MAX_TABLES + " are allowed");
    }
    Set<Long> whole = new HashSet<>();
    for (PlacedSlice input : inputs) {
      RunFacts run = view.runs().get(input.run()).facts();
      SegmentFacts segment = run.overlapping(input.segmentLow(), input.segmentHigh()).get(0);
      if (whole.add(segment.slices().get(0).slice())) {
        for (SliceFacts slice : segment.slices()) {
          if (!isInput(slice)) {
            return broken(
                5,
                "slice %s is left out of the segment of slice %s"
                    .formatted(slice.slice(), input.facts().slice()));
          }
        }
      }
    }
    return Optional.empty();
  }

  /**
   * Returns whether all inputs are in the target run and the slice {@code after} ends inside their
   * ranks, before the last one.
   */
  private boolean cut(long after) {
    boolean inside = false;
    for (PlanningView.PlacedRun run : view.runs()) {
      for (PlacedSlice slice : run.overlapping(low(), high())) {
        inside |= slice.facts().slice() == after && low() <= slice.high() && slice.high() < high();
      }
    }
    return inside
        && inputs.stream().allMatch(input -> PlanningView.agePosition(input.run()) == position());
  }

  /**
   * Returns a fault if a dropped slice holds more than tombstones, or if older data is below them
   * now or may be there after the running plans.
   */
  private Optional<String> dead() {
    for (PlacedSlice input : inputs) {
      String slice = "slice " + input.facts().slice();
      if (!view.adjacent()) {
        return broken(6, slice + " may hide anything, as cells carry their own age");
      }
      if (!input.facts().hasTombstonesOnly()) {
        return broken(6, slice + " holds more than deletions");
      }
      Optional<PlacedSlice> hidden = TombstoneDropPicker.hidden(view, input, inputIds);
      if (hidden.isPresent()) {
        return broken(6, slice + " may hide slice " + hidden.get().facts().slice());
      }
      if (PlanConflicts.mayWriteBelow(view, input)) {
        return broken(6, "a plan under way may write under " + slice);
      }
    }
    return Optional.empty();
  }

  /**
   * Returns a fault if a source is unknown or an input is in no source. Over the ranks of the
   * inputs, another run between the sources and the new run is a fault too.
   */
  private Optional<String> sources() {
    Set<Long> named = target.sources();
    if (named.isEmpty()) {
      return Optional.empty();
    }
    Set<Long> known = new HashSet<>();
    for (PlanningView.PlacedRun run : view.runs()) {
      known.add(run.id());
    }
    for (long id : named) {
      if (!known.contains(id)) {
        return broken(3, "source run " + id + " is not in the shape");
      }
    }
    for (PlacedSlice input : inputs) {
      long run = view.runs().get(input.run()).id();
      if (!named.contains(run)) {
        return broken(
            3, "slice " + input.facts().slice() + " lies in run " + run + ", which is no source");
      }
    }
    return view.adjacent() ? contiguous(named) : Optional.empty();
  }

  private Optional<String> contiguous(Set<Long> sources) {
    int place = position();
    int first = place;
    int last = place;
    for (PlanningView.PlacedRun run : view.runs()) {
      if (sources.contains(run.id())) {
        first = Math.min(first, PlanningView.agePosition(run.ageIndex()));
        last = Math.max(last, PlanningView.agePosition(run.ageIndex()));
      }
    }
    for (PlanningView.PlacedRun run : view.runs()) {
      int position = PlanningView.agePosition(run.ageIndex());
      if (first < position
          && position < last
          && !sources.contains(run.id())
          && !run.facts().overlapping(low(), high()).isEmpty()) {
        return broken(
            3, "run " + run.id() + " is no source but stands between the sources and their target");
      }
    }
    return Optional.empty();
  }

  private int position() {
    return view.agePosition(target.level(), target.run());
  }

  /**
   * Returns a fault if the plan breaks the age order: no slice may pass another that it overlaps
   * and that stays. The check goes through the runs from each end towards the target and collects
   * the ranks of the inputs it has passed. A remaining slice over collected ranks means that an
   * input would pass it. The rule also holds inside a segment: its newer slices may not leave
   * downwards before older ones that they overlap.
   */
  private Optional<String> order() {
    if (!view.adjacent()) {
      return Optional.empty();
    }
    int place = position();
    int low = low();
    int high = high();
    List<SliceFacts> newer = new ArrayList<>();
    List<SliceFacts> older = new ArrayList<>();
    for (PlanningView.PlacedRun run : view.runs()) {
      int position = PlanningView.agePosition(run.ageIndex());
      if (position != place) {
        List<SliceFacts> side = position < place ? newer : older;
        for (SegmentFacts segment : run.facts().overlapping(low, high)) {
          side.addAll(segment.slices());
        }
      }
    }
    // A segment lists its slices newest first, and the segments of a run are disjoint. Each list is
    // therefore in age order wherever slices overlap.
    Collections.reverse(older);
    return passed(newer).or(() -> passed(older));
  }

  private Optional<String> passed(List<SliceFacts> towardsTarget) {
    Covered covered = new Covered();
    for (SliceFacts slice : towardsTarget) {
      if (isInput(slice)) {
        covered.add(slice.low(), slice.high());
      } else if (covered.meets(slice.low(), slice.high())) {
        SliceFacts passing =
            towardsTarget.stream()
                .filter(this::isInput)
                .filter(input -> input.overlaps(slice))
                .findFirst()
                .orElseThrow();
        return broken(
            3,
            "slice %s would pass slice %s, which it overlaps"
                .formatted(passing.slice(), slice.slice()));
      }
    }
    return Optional.empty();
  }

  /**
   * Returns a fault if moved slices overlap, or if a slice of the target run, except the inputs, is
   * in the ranks that the plan writes or moves to.
   */
  private Optional<String> space() {
    Covered covered = new Covered();
    if (plan instanceof Plan.Move) {
      for (PlacedSlice input : inputs) {
        if (covered.meets(input.low(), input.high())) {
          return broken(4, "slice " + input.facts().slice() + " overlaps another moved slice");
        }
        covered.add(input.low(), input.high());
      }
    } else {
      covered.add(low(), high());
    }
    if (joined().isPresent()) {
      for (SegmentFacts segment : joined().get().facts().overlapping(low(), high())) {
        if (covered.meets(segment.low(), segment.high())) {
          for (SliceFacts slice : segment.slices()) {
            if (!isInput(slice)) {
              return broken(placingLaw(), inTheWay(segment, slice.slice()));
            }
          }
        }
      }
    }
    return Optional.empty();
  }

  /**
   * Returns the fault that a remaining slice of the target run is in the plan's ranks. A segment
   * keeps its whole range while one of its slices stays or is still to be consumed.
   */
  private static String inTheWay(SegmentFacts segment, long slice) {
    return (segment.slices().size() == 1 ? "slice " : "the segment of slice ")
        + slice
        + " of the target run lies where the plan would put its slices";
  }

  private Optional<String> jobs() {
    boolean barred;
    if (!(plan instanceof Plan.Move)) {
      barred = PlanConflicts.existFor(view, inputs, target, true);
    } else {
      barred =
          inputs.stream()
              .anyMatch(input -> PlanConflicts.existFor(view, List.of(input), target, false));
    }
    return barred
        ? broken(
            placingLaw(), "slices " + plan.slices() + " would meet the outputs of a plan under way")
        : Optional.empty();
  }

  private Optional<String> budget(Budget budget) {
    if (!(plan instanceof Plan.Merge merge)) {
      return Optional.empty();
    }
    if (budget.freeSlots() == 0) {
      return broken(7, "no slot is free for a merge");
    }
    long bytes = PlacedSlice.bytes(inputs);
    PlanCost cost = plan.reason().cost();
    if (!cost.equals(PlanCost.FREE_OF_COST)
        && (cost.readBytes() != bytes
            || cost.writeBytes() > bytes
            || cost.transientBytes() > bytes)) {
      return broken(
          11,
          "the forecast reads "
              + cost.readBytes()
              + ", writes "
              + cost.writeBytes()
              + " and fills the disk by "
              + cost.transientBytes()
              + " bytes, but the inputs have "
              + bytes);
    }
    long least =
        merge.cleaningThreshold() == 0 ? bytes : Math.min(bytes, CandidatePlan.straddling(inputs));
    long needed = Math.max(least, merge.transientBytes(bytes));
    if (needed > budget.transientBytes()) {
      return broken(
          7,
          "the merge may fill the disk by %s bytes, allowed are %s"
              .formatted(needed, budget.transientBytes()));
    }
    return Optional.empty();
  }

  /**
   * Returns the number of the law that forbids overlaps in the target run: 4 for a move, 8 for
   * other plans.
   */
  private int placingLaw() {
    return plan instanceof Plan.Move ? 4 : 8;
  }

  private static Optional<String> broken(int law, String how) {
    return Optional.of("law " + law + ": " + how);
  }

  /** Set of ranks, kept as disjoint intervals. */
  private static final class Covered {

    private final TreeMap<Integer, Integer> highByLow = new TreeMap<>();

    boolean meets(int low, int high) {
      Map.Entry<Integer, Integer> below = highByLow.floorEntry(high);
      return below != null && below.getValue() >= low;
    }

    void add(int low, int high) {
      int newLow = low;
      int newHigh = high;
      for (Map.Entry<Integer, Integer> met = highByLow.floorEntry(newHigh);
          met != null && met.getValue() >= newLow;
          met = highByLow.floorEntry(newHigh)) {
        newLow = Math.min(newLow, met.getKey());
        newHigh = Math.max(newHigh, met.getValue());
        highByLow.remove(met.getKey());
      }
      highByLow.put(newLow, newHigh);
    }
  }
}
