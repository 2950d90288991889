// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.policy;

import io.coppice.policy.spec.PolicyLimits;
import io.coppice.policy.spec.PolicySpec;
import java.util.Optional;
import java.util.Random;
import java.util.function.IntFunction;
import java.util.stream.IntStream;

/** Loads a {@link ShapeStore} flush by flush, the policy coming to rest after each. */
public final class Workload {

  public static final int ENTRY_BYTES = 1024;

  private Workload() {}

  /**
   * Runs a load.
   *
   * @param policyText the policy, without table_size
   * @param entriesPerTable entries in a full table
   * @param keys the keys of a flush, by its number from 0
   */
  public static ShapeStore run(
      String policyText,
      MergeRule rule,
      int entriesPerTable,
      int flushes,
      IntFunction<int[]> keys) {
    return run(policy(policyText, entriesPerTable), rule, entriesPerTable, flushes, keys);
  }

  /** The policy of a text without table_size. */
  static Policy policy(String text, int entriesPerTable) {
    long tableBytes = (long) entriesPerTable * ENTRY_BYTES;
    return PolicySpec.parse(text, new PolicyLimits(tableBytes, 1, 1L << 40, 30, false)).policy();
  }

  /** Runs a load under a policy that may have no text. */
  static ShapeStore run(
      Policy policy, MergeRule rule, int entriesPerTable, int flushes, IntFunction<int[]> keys) {
    long tableBytes = (long) entriesPerTable * ENTRY_BYTES;
    ShapeStore store = new ShapeStore(rule, tableBytes, ENTRY_BYTES);
    for (int flush = 0; flush < flushes; flush++) {
      store.flush(keys.apply(flush));
      settle(policy, store);
    }
    return store;
  }

  /** Carries out plans until the policy wants none. */
  static void settle(Policy policy, ShapeStore store) {
    Shape shape = store.shape();
    for (Optional<Plan> plan = policy.next(shape, Budget.unlimited());
        plan.isPresent();
        plan = policy.next(shape, Budget.unlimited())) {
      store.apply(plan.get());
      shape = store.shape();
    }
  }

  /**
   * Keys that come but once in practice, over the whole space: every flush overlaps every other.
   */
  public static IntFunction<int[]> uniform(int entries) {
    Random random = new Random(1);
    return flush -> random.ints(entries, 0, Integer.MAX_VALUE).distinct().toArray();
  }

  /** Keys that only grow: no flush overlaps another. */
  public static IntFunction<int[]> sequential(int entries) {
    return flush -> IntStream.range(flush * entries, (flush + 1) * entries).toArray();
  }

  /** One key a flush, anywhere. */
  public static IntFunction<int[]> scattered() {
    return uniform(1);
  }
}
