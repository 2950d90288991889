// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.policy.step;

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
 * Search for the next plan of a policy that the space limit allows, see {@link Rounds}.
 *
 * <p>The search first asks for a plan that fits as a whole. Otherwise it accepts a plan that is
 * merged in rounds, each with as many runs as the whole limit allows. While running merges hold the
 * space for some of these runs, the plan waits. Used once per snapshot, by one thread.
 *
 * @param <K> a key
 * @param <T> an SSTable
 */
public final class PlanSearch<K extends Comparable<? super K>, T extends Rounds.Sized<K>> {

  // Bounds the time, because each request makes the policy examine the whole table.
  private static final int MAX_ASKED = 4;

  /**
   * The outcome of a search.
   *
   * @param budget the budget of the request that gave the plan; without a plan, the last budget of
   *     the limited search
   * @param plan the accepted plan, if any
   * @param shortage the plan that needs the least space, if no plan has a round within the whole
   *     limit
   */
  public record Found(Budget budget, Optional<Plan> plan, Optional<Shortage> shortage) {}

  /**
   * A plan's need for space that exceeds the limit.
   *
   * @param neededBytes the smallest sufficient limit on transient bytes
   * @param limitBytes the actual limit, which is smaller
   */
  public record Shortage(long neededBytes, long limitBytes) {}

  private enum Verdict {
    ACCEPTED,
    /** Fits the whole limit, but running merges hold the space. */
    WAITS,
    REFUSED
  }

  /**
   * Functions that return the properties of SSTables.
   *
   * @param free returns the SSTable of a slice, null if it is in use
   * @param level returns the level of an SSTable
   * @param undivided tests whether a merge of SSTables must be one step
   * @param room returns the bytes that the disks can take in a merge of SSTables
   */
  public record Tables<T>(
      LongFunction<T> free,
      ToLongFunction<T> level,
      Predicate<List<T>> undivided,
      ToLongFunction<List<T>> room) {}

  private final Tables<T> tables;
  private final TransientSpaceLimit limit;
  private final long heldBytes;
  private final long stepBytes;
  private final long tableBytes;
  private Optional<Shortage> shortage = Optional.empty();

  /**
   * Creates the search for one snapshot.
   *
   * @param limit the space limit of all merges of the table
   * @param heldBytes the part of the limit that running merges hold, in bytes
   * @param stepBytes the most bytes that a step reads, {@link Long#MAX_VALUE} for no limit
   * @param tableBytes the size of outputs in bytes
   */
  public PlanSearch(
      Tables<T> tables,
      TransientSpaceLimit limit,
      long heldBytes,
      long stepBytes,
      long tableBytes) {
    this.tables = tables;
    this.limit = limit;
    this.heldBytes = heldBytes;
    this.stepBytes = stepBytes;
    this.tableBytes = tableBytes;
  }

  /**
   * Searches for a plan that fits the limit, and otherwise for one that can be merged in rounds. It
   * asks the policy at most eight times.
   *
   * @param rewriteBytes the rest of the rewrite budget, see {@link Budget#rewriteBytes}
   */
  public Found search(Policy policy, Shape shape, long rewriteBytes) {
    shortage = Optional.empty();
    long bound = ofPlans(limit.bytes(0));
    // The cost of files grows in steps of whole files, so a smaller limit may leave more bytes for
    // plans.
    long most = Math.min(bound, ofPlans(left(limit.bytes(0))));
    Found found = ask(policy, shape, new Budget(1, most, bound, rewriteBytes));
    if (found.plan.isPresent() || bound == Long.MAX_VALUE) {
      return found;
    }
    Found larger = ask(policy, shape, new Budget(1, Long.MAX_VALUE, rewriteBytes));
    return larger.plan.isPresent() ? larger : new Found(found.budget, found.plan, shortage);
  }

  private long ofPlans(long limitBytes) {
    return Math.max(0, UsableFreeSpace.ofPlans(limitBytes, stepBytes, tableBytes));
  }

  private long left(long limitBytes) {
    return limitBytes == Long.MAX_VALUE ? limitBytes : Math.max(0, limitBytes - heldBytes);
  }

  /** Asks for the first acceptable plan. After an unacceptable one, asks again with less space. */
  private Found ask(Policy policy, Shape shape, Budget budget) {
    Budget within = budget;
    for (int again = 0; again < MAX_ASKED; again++) {
      Optional<Plan> plan = policy.next(shape, within);
      Verdict verdict = plan.map(this::verdict).orElse(Verdict.ACCEPTED);
      if (verdict == Verdict.ACCEPTED) {
        return new Found(within, plan, Optional.empty());
      }
      long needed = plan.orElseThrow().reason().cost().transientBytes();
      long less = Math.max(0, Math.min(needed, within.transientBytes()) - 1);
      // A lower bound would make the policy divide the plan that waits.
      long bound = verdict == Verdict.WAITS ? within.boundBytes() : less;
      within = new Budget(1, less, bound, within.rewriteBytes());
    }
    return new Found(within, Optional.empty(), Optional.empty());
  }

  private Verdict verdict(Plan plan) {
    return joinsNothing(plan) ? Verdict.REFUSED : round(plan);
  }

  private Verdict round(Plan plan) {
    if (!(plan instanceof Plan.Merge merge) || limit.bytes(0) == Long.MAX_VALUE) {
      return Verdict.ACCEPTED;
    }
    Optional<List<T>> found = inputs(merge);
    if (found.isEmpty()) {
      // A plan that breaks a law is refused elsewhere, by PlanCheck.
      return Verdict.ACCEPTED;
    }
    List<T> inputs = found.get();
    boolean undivided = tables.undivided.test(inputs);
    long whole = limit(inputs);
    int most = size(inputs, whole, undivided);
    if (most == 0) {
      long needed =
          UsableFreeSpace.minFreeBytes(Rounds.minLimitBytes(inputs, tableBytes, undivided));
      if (shortage.isEmpty() || needed < shortage.get().neededBytes) {
        shortage = Optional.of(new Shortage(needed, whole));
      }
      return Verdict.REFUSED;
    }
    return size(inputs, left(whole), undivided) == most ? Verdict.ACCEPTED : Verdict.WAITS;
  }

  /** Returns the number of inputs of a round, 0 if no round fits the limit. */
  private int size(List<T> inputs, long limitBytes, boolean undivided) {
    return Rounds.take(inputs, UsableFreeSpace.of(limitBytes), tableBytes, undivided)
        .map(List::size)
        .orElse(0);
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

  private long limit(List<T> inputs) {
    return limit.bytes(inputs.stream().mapToLong(T::bytes).max().orElse(0));
  }

  /**
   * Returns whether the plan merges non-overlapping neighbors of one level although every two of
   * them exceed one output. Such a merge would write its inputs unchanged, and the policy would
   * plan it again.
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
    long whole = limit(inputs);
    long room = Math.min(whole, tables.room.applyAsLong(inputs));
    return pair > UsableFreeSpace.ofPlans(room, pair, tableBytes)
        || limit.isFixed() && !UsableFreeSpace.joins(pair, UsableFreeSpace.of(whole), tableBytes);
  }
}
