// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.cassandra;

import io.coppice.policy.Budget;
import io.coppice.policy.Plan;
import io.coppice.policy.Policy;
import io.coppice.policy.Shape;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.function.LongFunction;
import java.util.function.Predicate;
import java.util.function.ToLongFunction;

/**
 * Searches for a policy's next plan of which at least two runs fit the space, see {@link Rounds}.
 * Plans that fit as a whole go first.
 *
 * @param <T> an SSTable
 */
final class PlanSearch<K extends Comparable<? super K>, T extends Rounds.Sized<K>> {

  // Each question looks at the whole table.
  private static final int MOST_ASKED = 4;

  /** What a policy was asked last, and what it answered. */
  record Found(Budget budget, Optional<Plan> plan) {}

  /**
   * What the plans use.
   *
   * @param free an SSTable by the slice that stands for it, null if something uses it
   * @param level of an SSTable
   * @param room by how much the disks allow SSTables to be merged
   */
  record Tables<T>(LongFunction<T> free, ToLongFunction<T> level, ToLongFunction<List<T>> room) {}

  private final Tables<T> tables;
  private final MergeTask.Limit free;
  private final long stepBytes;
  private final long tableBytes;

  /**
   * Takes what is fixed for one snapshot.
   *
   * @param free what other merges leave of the limit
   * @param stepBytes what a step reads at most
   * @param tableBytes the size of outputs
   */
  PlanSearch(Tables<T> tables, MergeTask.Limit free, long stepBytes, long tableBytes) {
    this.tables = tables;
    this.free = free;
    this.stepBytes = stepBytes;
    this.tableBytes = tableBytes;
  }

  /** Returns the last question and its answer. */
  Found next(Policy policy, Shape shape, long rewriteBytes) {
    long most = Math.max(0, StepLimit.ofPlans(free.bytes(0), stepBytes, tableBytes));
    Predicate<Plan> willDo = plan -> hasARound(plan) && !joinsNothing(plan);
    Found found = ask(policy, shape, new Budget(1, most, rewriteBytes), willDo);
    if (found.plan.isPresent() || free.bytes(0) == Long.MAX_VALUE) {
      return found;
    }
    Found larger = ask(policy, shape, new Budget(1, Long.MAX_VALUE, rewriteBytes), willDo);
    return larger.plan.isPresent() ? larger : found;
  }

  /** Asks for the first plan that will do; instead of one that will not, for one of less space. */
  private Found ask(Policy policy, Shape shape, Budget budget, Predicate<Plan> willDo) {
    Budget within = budget;
    for (int again = 0; again < MOST_ASKED; again++) {
      Optional<Plan> plan = policy.next(shape, within);
      if (plan.isEmpty() || willDo.test(plan.get())) {
        return new Found(within, plan);
      }
      long needed = plan.get().reason().forecast().transientBytes();
      long less = Math.max(0, Math.min(needed, within.transientBytes()) - 1);
      within = new Budget(1, less, within.rewriteBytes());
    }
    return new Found(within, Optional.empty());
  }

  private boolean hasARound(Plan plan) {
    if (!(plan instanceof Plan.Merge merge) || free.bytes(0) == Long.MAX_VALUE) {
      return true;
    }
    // A plan that breaks a law is refused elsewhere.
    return inputs(merge)
        .map(inputs -> Rounds.take(inputs, StepLimit.of(free(inputs)), tableBytes, false))
        .map(Optional::isPresent)
        .orElse(true);
  }

  private Optional<List<T>> inputs(Plan.Merge merge) {
    List<T> inputs = new ArrayList<>();
    for (long slice : merge.slices()) {
      T input = tables.free.apply(slice);
      if (input == null) {
        return Optional.empty();
      }
      inputs.add(input);
    }
    return Optional.of(inputs);
  }

  private long free(List<T> inputs) {
    return free.bytes(inputs.stream().mapToLong(T::bytes).max().orElse(0));
  }

  /**
   * True for a merge in place of neighbours of which not even two fit one output: it would write
   * them as they are, and be wanted again.
   */
  private boolean joinsNothing(Plan plan) {
    if (!(plan instanceof Plan.Merge merge)) {
      return false;
    }
    Optional<List<T>> found = inputs(merge);
    if (found.isEmpty()) {
      return false;
    }
    List<T> inputs = new ArrayList<>(found.get());
    if (inputs.stream()
        .anyMatch(input -> tables.level.applyAsLong(input) != merge.target().level())) {
      return false;
    }
    inputs.sort(Comparator.comparing(T::first));
    long pair = 0;
    for (int i = 1; i < inputs.size(); i++) {
      T before = inputs.get(i - 1);
      T input = inputs.get(i);
      if (before.last().compareTo(input.first()) >= 0) {
        return false;
      }
      pair = Math.max(pair, before.bytes() + input.bytes());
    }
    long limit = free(inputs);
    long room = Math.min(limit, tables.room.applyAsLong(inputs));
    return pair > StepLimit.ofPlans(room, pair, tableBytes)
        || free.isFixed() && !StepLimit.joins(pair, StepLimit.of(limit), tableBytes);
  }
}
