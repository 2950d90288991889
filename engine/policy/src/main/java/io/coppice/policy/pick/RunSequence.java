// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.policy.pick;

import io.coppice.policy.MergeRule;
import io.coppice.policy.Target;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;

/**
 * Run sequence: the runs of all levels as one list of items, newest first, for policies that merge
 * by size. An incomplete run and its sources are one item, because they will be one run.
 *
 * <p>Under {@link MergeRule#FREE} the runs of a level have no age; they are sorted by size, and the
 * smallest counts as the newest. Used by one thread.
 */
public final class RunSequence {

  /**
   * A run, or an incomplete run with its sources.
   *
   * @param first the newest run of the item
   * @param last the oldest run of the item
   * @param bytes bytes of all runs of the item
   * @param busy whether the item is incomplete or a running plan uses it
   */
  public record Item(
      PlanningView.PlacedRun first, PlanningView.PlacedRun last, long bytes, boolean busy) {

    public int level() {
      return last.level();
    }

    Item and(PlanningView.PlacedRun older) {
      return new Item(first, older, bytes + older.facts().bytes(), true);
    }
  }

  private static final Comparator<Item> BY_LEVEL_AND_SIZE =
      Comparator.comparingInt(Item::level)
          .thenComparingLong(Item::bytes)
          .thenComparingInt(item -> item.first.ageIndex());

  private final PlanningView view;
  private final List<Item> items;

  public RunSequence(PlanningView view) {
    this.view = view;
    items = List.copyOf(view.adjacent() ? byAge(view) : bySize(view));
  }

  /** Returns the items, newest first. */
  public List<Item> items() {
    return items;
  }

  /** Returns the runs of items that are not busy, newest first. */
  public static List<PlanningView.PlacedRun> runs(List<Item> idle) {
    return idle.stream().map(Item::last).toList();
  }

  public static long bytes(List<Item> some) {
    return some.stream().mapToLong(Item::bytes).sum();
  }

  /**
   * Returns the level for a new run that replaces the items. It is the deepest level that puts the
   * new run in their place in the age order, if possible above the level of the next older item.
   * Empty if no new run can be between the neighbors of the items; the merge must then join one of
   * the items.
   *
   * @param from index of the newest item, inclusive
   * @param to index after the oldest item
   * @param deepest deepest result if the items include the oldest
   */
  public OptionalInt level(int from, int to, int deepest) {
    int own = items.get(to - 1).level();
    int below = to == items.size() ? deepest : items.get(to).first.level() - 1;
    if (below > own) {
      // The levels between the oldest of the items and the next older one are empty.
      return OptionalInt.of(to == items.size() ? own + 1 : below);
    }
    boolean open =
        !view.adjacent()
            || view.agePosition(own, Target.NEW_RUN) >= 2 * items.get(from).first.ageIndex();
    return open ? OptionalInt.of(own) : OptionalInt.empty();
  }

  private static List<Item> byAge(PlanningView view) {
    Map<Integer, PlanningView.IncompleteRun> fillingOf = new HashMap<>();
    for (PlanningView.IncompleteRun incomplete : view.incompleteRuns()) {
      fillingOf.put(incomplete.run().ageIndex(), incomplete);
      for (PlanningView.PlacedRun source : incomplete.sources()) {
        fillingOf.put(source.ageIndex(), incomplete);
      }
    }
    List<Item> items = new ArrayList<>();
    PlanningView.IncompleteRun last = null;
    for (PlanningView.PlacedRun run : view.runs()) {
      PlanningView.IncompleteRun incomplete = fillingOf.get(run.ageIndex());
      if (incomplete != null && incomplete == last) {
        items.set(items.size() - 1, items.get(items.size() - 1).and(run));
      } else if (!run.isEmpty() || !view.settled(run)) {
        items.add(new Item(run, run, run.facts().bytes(), busy(view, run)));
        last = incomplete;
      }
    }
    return items;
  }

  private static List<Item> bySize(PlanningView view) {
    List<Item> items = new ArrayList<>();
    for (PlanningView.PlacedRun run : view.runs()) {
      if (!run.isEmpty()) {
        items.add(new Item(run, run, run.facts().bytes(), busy(view, run)));
      }
    }
    items.sort(BY_LEVEL_AND_SIZE);
    return items;
  }

  private static boolean busy(PlanningView view, PlanningView.PlacedRun run) {
    return !view.settled(run) || run.facts().claimed();
  }
}
