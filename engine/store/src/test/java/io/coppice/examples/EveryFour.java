// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.examples;

import io.coppice.Store;
import io.coppice.StoreOptions;
import io.coppice.StoreStats;
import io.coppice.base.Durability;
import io.coppice.policy.Backlog;
import io.coppice.policy.Budget;
import io.coppice.policy.LevelFacts;
import io.coppice.policy.Plan;
import io.coppice.policy.Policy;
import io.coppice.policy.RunFacts;
import io.coppice.policy.Shape;
import io.coppice.policy.spec.CustomPolicy;
import io.coppice.policy.spec.PolicySpec;
import java.nio.file.Path;
import java.util.Optional;
import java.util.Set;

/**
 * A compaction policy of one's own: as soon as there are four runs, all become one. It rewrites
 * much and keeps reads cheap. How everything becomes one run it leaves to a policy of Coppice's.
 */
public final class EveryFour implements CustomPolicy {

  private static final int RUNS = 4;

  @Override
  public String id() {
    return "every-four";
  }

  @Override
  public Policy policy(long tableBytes, int cleaningThreshold) {
    String text = "leveled,table_size=" + tableBytes + ",cleaning_threshold=" + cleaningThreshold;
    return new Decisions(PolicySpec.parse(text).policy());
  }

  /** Pure: no clock, no file, no key; the same Shape has the same answer. */
  private record Decisions(Policy whole) implements Policy {

    private static boolean due(Shape shape) {
      int runs = 0;
      for (LevelFacts level : shape.levels()) {
        for (RunFacts run : level.runs()) {
          runs += run.segments().isEmpty() ? 0 : 1;
        }
      }
      return runs >= RUNS;
    }

    @Override
    public Optional<Plan> next(Shape shape, Budget budget) {
      return due(shape) ? whole.everything(shape, budget) : Optional.empty();
    }

    @Override
    public Backlog backlog(Shape shape) {
      long bytes = shape.levels().stream().mapToLong(LevelFacts::bytes).sum();
      return due(shape) ? new Backlog(bytes, 1, bytes) : Backlog.NONE;
    }

    @Override
    public Optional<Plan> everything(Shape shape, Budget budget) {
      return whole.everything(shape, budget);
    }

    @Override
    public Optional<Plan> rewrite(Shape shape, Set<Long> slices, Budget budget) {
      return whole.rewrite(shape, slices, budget);
    }
  }

  /** Takes the directory. */
  public static void main(String[] args) {
    StoreOptions options =
        StoreOptions.builder()
            .customPolicy(new EveryFour())
            .policy("every-four,table_size=64KiB")
            .durability(Durability.BUFFERED)
            .build();
    try (Store store = Store.open(Path.of(args[0]), options)) {
      for (int flush = 1; flush <= 8; flush++) {
        for (int i = 0; i < 1000; i++) {
          store.put(("key" + (i * 7919L + flush) % 5000).getBytes(), new byte[100]);
        }
        store.flush();
        store.awaitIdle();
        int runs = store.stats().levels().stream().mapToInt(StoreStats.LevelStats::runs).sum();
        System.out.println("flush " + flush + ": runs " + runs);
      }
    }
  }
}
