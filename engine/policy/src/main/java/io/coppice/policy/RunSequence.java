// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.policy;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;

/**
 * Run sequence: the runs of all levels as one list of items, newest first, for size-based policies.
 * An incomplete run and its sources are one item, because they will be one run.
 *
 * <p>Under {@link MergeRule#FREE} the runs of a level have no age; they are sorted by size, and the
 * smallest counts as the newest.
 */
final class RunSequence {

  /**
   * A run, or an incomplete run with its sources.
   *
   * @param first its newest run
   * @param last its oldest run
   * @param bytes bytes of all its runs
   * @param busy whether it is incomplete or a running plan uses it
   */
  record Item(PlanningView.PlacedRun first, PlanningView.PlacedRun last, long bytes, boolean busy) {

    int level() {
      return last.level();
    }

    Item and(PlanningView.PlacedRun older) {
      return new Item(first, older, bytes + older.facts().bytes(), true);
    }
  }

  private static final Comparator<Item> BY_LEVEL_AND_SIZE =
      Comparator.comparingInt(Item::level)
          .thenComparingLong(Item::bytes)
          .thenComparingInt(item -> item.first.place());

  private final PlanningView layout;
  private final List<Item> items;

  RunSequence(PlanningView layout) {
    this.layout = layout;
    items = List.copyOf(layout.adjacent() ? byAge(layout) : bySize(layout));
  }

  /** Returns the items, newest first. */
  List<Item> items() {
    return items;
  }

  /** Returns the runs of idle items, newest first. */
  static List<PlanningView.PlacedRun> runs(List<Item> idle) {
    return idle.stream().map(Item::last).toList();
  }

  static long bytes(List<Item> some) {
    return some.stream().mapToLong(Item::bytes).sum();
  }

  /**
   * Returns the level for a new run that replaces the items. It is the deepest level that puts a
   * new run in their place in the age order; where possible it is above the level of the next older
   * item. Empty if no new run can be between their neighbors; the merge must then join one of the
   * items.
   *
   * @param from index of the newest item, inclusive
   * @param to index after the oldest item
   * @param deepest deepest result if the items include the oldest
   */
  OptionalInt level(int from, int to, int deepest) {
    int own = items.get(to - 1).level();
    int below = to == items.size() ? deepest : items.get(to).first.level() - 1;
    if (below > own) {
      // The levels between the oldest of the items and the next older one are empty.
      return OptionalInt.of(to == items.size() ? own + 1 : below);
    }
    boolean open =
        !layout.adjacent()
            || layout.position(own, Target.NEW_RUN) >= 2 * items.get(from).first.place();
    return open ? OptionalInt.of(own) : OptionalInt.empty();
  }

  private static List<Item> byAge(PlanningView layout) {
    Map<Integer, PlanningView.Filling> fillingOf = new HashMap<>();
    for (PlanningView.Filling filling : layout.fillings()) {
      fillingOf.put(filling.run().place(), filling);
      for (PlanningView.PlacedRun source : filling.sources()) {
        fillingOf.put(source.place(), filling);
      }
    }
    List<Item> items = new ArrayList<>();
    PlanningView.Filling last = null;
    for (PlanningView.PlacedRun run : layout.runs()) {
      PlanningView.Filling filling = fillingOf.get(run.place());
      if (filling != null && filling == last) {
        items.set(items.size() - 1, items.get(items.size() - 1).and(run));
      } else if (!run.isEmpty() || !layout.settled(run)) {
        items.add(new Item(run, run, run.facts().bytes(), busy(layout, run)));
        last = filling;
      }
    }
    return items;
  }

  private static List<Item> bySize(PlanningView layout) {
    List<Item> items = new ArrayList<>();
    for (PlanningView.PlacedRun run : layout.runs()) {
      if (!run.isEmpty()) {
        items.add(new Item(run, run, run.facts().bytes(), busy(layout, run)));
      }
    }
    items.sort(BY_LEVEL_AND_SIZE);
    return items;
  }

  private static boolean busy(PlanningView layout, PlanningView.PlacedRun run) {
    return !layout.settled(run) || run.facts().claimed();
  }
}
