// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.bench.micro;

import io.coppice.policy.Budget;
import io.coppice.policy.LevelFacts;
import io.coppice.policy.MergeRule;
import io.coppice.policy.Policy;
import io.coppice.policy.RunFacts;
import io.coppice.policy.Shape;
import io.coppice.policy.observe.Decision;
import io.coppice.policy.observe.DecisionJournal;
import io.coppice.policy.spec.PolicySpec;
import io.coppice.simulator.Fidelity;
import io.coppice.simulator.Scenario;
import io.coppice.simulator.Simulator;
import io.coppice.simulator.keys.WriteWorkload;
import java.util.ArrayList;
import java.util.List;

/**
 * Shapes of a store with ten thousand tables, taken from a simulated load of inserts.
 *
 * @param wanted shape that makes the policy want a plan. It takes longest to plan among the last
 *     such shapes and the one whose plan named the most tables
 * @param atRest shape that makes the policy want no plan, from just before one of the last flushes
 */
record LoadedShapes(Shape wanted, Shape atRest) {

  private static final long TABLE_BYTES = 4L << 20;
  private static final int FLUSH_TABLES = 10;

  /**
   * Number of flushes in the load. It is a power of 4, so that the last flush is due in every stage
   * of a forest of that fanout.
   */
  private static final int FLUSHES = 1024;

  private static final int ENTRY_BYTES = 256 << 10;
  private static final int MIN_SLICES = FLUSHES * FLUSH_TABLES * 9 / 10;
  private static final int KEPT_DECISIONS = 200;
  private static final int TRIES = 10;

  static LoadedShapes of(PolicySpec spec) {
    return new Loader(spec).load();
  }

  private static final class Loader {

    private final PolicySpec spec;
    private final DecisionJournal journal = new DecisionJournal(KEPT_DECISIONS, Integer.MAX_VALUE);
    private long seen;
    private int most;
    private Shape largest;
    private Shape atRest;

    Loader(PolicySpec spec) {
      this.spec = spec;
    }

    LoadedShapes load() {
      long bytes = FLUSHES * FLUSH_TABLES * TABLE_BYTES;
      Scenario scenario =
          new Scenario(
              spec,
              MergeRule.ADJACENT,
              WriteWorkload.parse("insert"),
              bytes,
              bytes,
              FLUSH_TABLES * TABLE_BYTES,
              ENTRY_BYTES,
              0,
              0,
              Long.MAX_VALUE,
              1,
              Fidelity.EXACT);
      Simulator.run(scenario, share -> flushed(), journal);
      if (largest == null || atRest == null) {
        throw new IllegalStateException(spec + " was never in both states with enough tables");
      }
      return new LoadedShapes(slowest(), atRest);
    }

    private Shape slowest() {
      Shape slowest = largest;
      long most = nanos(largest);
      for (Decision decision : journal.decisions()) {
        if (slices(decision.shape()) >= MIN_SLICES && nanos(decision.shape()) > most) {
          slowest = decision.shape();
          most = nanos(slowest);
        }
      }
      return slowest;
    }

    /** Returns the shortest planning time of several tries on a shape, in nanoseconds. */
    private long nanos(Shape shape) {
      Policy policy = spec.policy();
      long least = Long.MAX_VALUE;
      for (int i = 0; i < TRIES; i++) {
        long start = System.nanoTime();
        policy.next(shape, Budget.unlimited()).orElseThrow();
        least = Math.min(least, System.nanoTime() - start);
      }
      return least;
    }

    /** Examines the decisions that the policy made after a flush. */
    private void flushed() {
      List<Decision> decisions = journal.decisions();
      boolean first = true;
      for (Decision decision : decisions) {
        if (decision.sequence() <= seen) {
          continue;
        }
        first &= decision.sequence() == seen + 1;
        if (slices(decision.shape()) >= MIN_SLICES) {
          note(decision, first);
        }
        first = false;
      }
      if (!decisions.isEmpty()) {
        seen = decisions.get(decisions.size() - 1).sequence();
      }
    }

    private void note(Decision decision, boolean first) {
      int named = decision.plan().orElseThrow().slices().size();
      if (named > most) {
        most = named;
        largest = decision.shape();
      }
      if (first) {
        Shape before = withoutTheNewest(decision.shape());
        if (spec.policy().next(before, Budget.unlimited()).isEmpty()) {
          atRest = before;
        }
      }
    }
  }

  private static Shape withoutTheNewest(Shape shape) {
    List<RunFacts> runs = shape.levels().get(0).runs();
    List<LevelFacts> levels = new ArrayList<>(shape.levels());
    levels.set(0, new LevelFacts(runs.subList(Math.min(1, runs.size()), runs.size())));
    return new Shape(shape.rule(), levels, shape.runningPlans(), shape.requests());
  }

  static int slices(Shape shape) {
    return shape.levels().stream()
        .flatMap(level -> level.runs().stream())
        .flatMap(run -> run.segments().stream())
        .mapToInt(segment -> segment.slices().size())
        .sum();
  }
}
