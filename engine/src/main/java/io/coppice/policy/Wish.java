// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.policy;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * A plan that a policy wants, whether or not it can start now.
 *
 * @param plan what is wanted
 * @param bytes input bytes of a merge, 0 for a move
 * @param held true while a claimed slice or a plan under way keeps it from starting
 */
record Wish(Plan plan, long bytes, boolean held) {

  /** A merge of the slices, given in any order. */
  static Wish merge(Layout layout, List<Placed> slices, Target target, Reason reason) {
    long bytes = 0;
    boolean held = Jobs.bar(layout, slices, target, true);
    for (Placed slice : slices) {
      bytes += slice.bytes();
      held |= slice.claimed();
    }
    return new Wish(new Plan.Merge(ids(slices), target, reason), bytes, held);
  }

  /** A move of those of the slices that are free, given in any order; empty if none is. */
  static Optional<Wish> move(Layout layout, List<Placed> slices, Target target, Reason reason) {
    List<Placed> free = new ArrayList<>();
    for (Placed slice : slices) {
      if (!slice.claimed() && !Jobs.bar(layout, List.of(slice), target, false)) {
        free.add(slice);
      }
    }
    return free.isEmpty()
        ? Optional.empty()
        : Optional.of(new Wish(new Plan.Move(ids(free), target, reason), 0, false));
  }

  /** The first wish that can start within the budget. */
  static Optional<Plan> first(List<Wish> wishes, Budget budget) {
    if (budget.freeSlots() == 0) {
      return Optional.empty();
    }
    for (Wish wish : wishes) {
      if (!wish.held && wish.bytes <= budget.transientBytes()) {
        return Optional.of(wish.plan);
      }
    }
    return Optional.empty();
  }

  /** The wishes as a backlog. */
  static Backlog backlog(List<Wish> wishes) {
    long bytes = 0;
    long least = Long.MAX_VALUE;
    for (Wish wish : wishes) {
      bytes += wish.bytes;
      least = Math.min(least, wish.bytes);
    }
    return wishes.isEmpty() ? Backlog.NONE : new Backlog(bytes, wishes.size(), least);
  }

  private static List<Long> ids(List<Placed> slices) {
    return slices.stream().sorted(Placed.BY_RUN).map(slice -> slice.facts().slice()).toList();
  }
}
