// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.policy;

import io.coppice.policy.check.PlanCheck;
import io.coppice.policy.spec.PolicyLimits;
import io.coppice.policy.spec.PolicySpec;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.stream.IntStream;

/**
 * A policy on trial: a small store lives through seeded flushes, merges in steps, abandoned merges
 * and majors, while every law of {@code docs/explanation/policy-contract.md} that can be seen from
 * outside is held against each plan. Throws an {@link AssertionError} that names law and seed.
 */
public final class PolicyTrial {

  static final int ENTRY_BYTES = 1024;
  static final long TABLE_BYTES = 8 * ENTRY_BYTES;

  private static final int KEYS = 160;
  private static final int MAX_JOBS = 3;
  private static final int MAX_LEVEL = 4;
  private static final int WILD_PLANS = 60;

  private final MergeRule rule;
  private final long seed;
  private final Random random;
  private final ShapeStore store;
  private final List<ShapeStore.Job> jobs = new ArrayList<>();
  private final List<Long> foreignClaims = new ArrayList<>();
  private Policy policy;

  public PolicyTrial(Policy policy, MergeRule rule, long seed) {
    this.policy = policy;
    this.rule = rule;
    this.seed = seed;
    this.random = new Random(seed);
    this.store = new ShapeStore(rule, TABLE_BYTES, ENTRY_BYTES);
  }

  /** The policy of a text, with tables of the trial's size. */
  public static Policy policy(String text) {
    PolicyLimits limits = new PolicyLimits(TABLE_BYTES, 1, Long.MAX_VALUE >> 20, MAX_LEVEL, false);
    return PolicySpec.parse(text, limits).policy();
  }

  ShapeStore store() {
    return store;
  }

  /** From now on another policy decides. */
  public PolicyTrial with(Policy other) {
    policy = other;
    return this;
  }

  /**
   * Begins with a shape that no policy made: runs anywhere, some in the making, then plans that no
   * policy would make, so that segments are virtual here and there.
   */
  public PolicyTrial wild() {
    for (int level = MAX_LEVEL; level >= 0; level--) {
      List<Long> runs = new ArrayList<>();
      for (int i = random.nextInt(4); i > 0; i--) {
        runs.add(store.place(level, keys()));
      }
      if (rule == MergeRule.ADJACENT && random.nextInt(3) == 0 && !runs.isEmpty()) {
        feedWildly(runs.get(random.nextInt(runs.size())));
      }
    }
    for (int i = 0; i < WILD_PLANS && store.slices() > 0; i++) {
      Shape shape = store.shape();
      Plan plan = WildPlans.any(shape, random, MAX_LEVEL);
      if (PlanCheck.fault(shape, plan, Budget.unlimited(), MAX_LEVEL).isEmpty()) {
        store.apply(plan);
      }
    }
    return this;
  }

  private void feedWildly(long run) {
    Set<Long> sources = new HashSet<>();
    for (LevelFacts level : store.shape().levels()) {
      for (RunFacts other : level.runs()) {
        if (other.id() != run && random.nextInt(3) == 0) {
          sources.add(other.id());
        }
      }
    }
    store.feed(run, sources);
  }

  /** Flushes, deletes, reads, plans, steps, abandons and forgets, so many times. */
  public PolicyTrial live(int rounds) {
    for (int round = 0; round < rounds; round++) {
      int dice = random.nextInt(10);
      if (random.nextInt(4) == 0) {
        store.read(random.nextInt(KEYS), policy.mergeOnRead());
      }
      // Cassandra's adapter reports none.
      if (rule == MergeRule.ADJACENT && random.nextInt(8) == 0) {
        store.endSome(random, 10);
      }
      if (dice < 3) {
        flush();
      } else if (dice < 7) {
        plan(budget(), random.nextInt(20) == 0);
      } else if (dice == 7) {
        claimOrFree();
      } else if (!jobs.isEmpty()) {
        ShapeStore.Job job = jobs.get(random.nextInt(jobs.size()));
        if (dice == 9 && random.nextInt(3) == 0) {
          store.abandon(job);
          jobs.remove(job);
        } else if (!store.step(job, 1 + random.nextInt(3))) {
          jobs.remove(job);
        }
      }
      verifyData();
      verifyBacklog();
    }
    return this;
  }

  /** Ends or abandons what runs, then lets the policy come to rest. */
  public PolicyTrial rest() {
    endJobs();
    run(false);
    law(
        9,
        store.shape().runningPlans().isEmpty() && policy.backlog(store.shape()).plans() == 0,
        "backlog");
    return this;
  }

  /** Holds that nothing is wanted. */
  void verifiedAtRest() {
    Shape shape = store.shape();
    law(9, ask(shape, Budget.unlimited(), false).isEmpty(), "a plan is wanted");
    law(9, ask(shape, Budget.unlimited(), true).isEmpty(), "a major is wanted");
    verifyBacklog();
  }

  /** Compacts everything into one run. */
  PolicyTrial major() {
    endJobs();
    run(true);
    law(9, store.runs() <= 1, "a major compaction left " + store.runs() + " runs");
    return this;
  }

  /** Rewrites some slices inside their runs. */
  PolicyTrial renew() {
    endJobs();
    int runs = store.runs();
    Set<Long> named = new HashSet<>();
    for (SliceFacts slice : ShapeLaws.slices(store.shape())) {
      if (random.nextInt(3) == 0) {
        named.add(slice.slice());
      }
    }
    Optional<Plan> plan;
    while ((plan = policy.rewrite(store.shape(), named, Budget.unlimited())).isPresent()) {
      PlanCheck.check(store.shape(), plan.get(), Budget.unlimited(), MAX_LEVEL);
      law(9, plan.get().slices().stream().anyMatch(named::contains), "nobody named it");
      store.apply(plan.get());
      verifyData();
    }
    law(
        9,
        ShapeLaws.slices(store.shape()).stream().noneMatch(s -> named.contains(s.slice())),
        "a slice that was named is left");
    law(9, store.runs() <= runs, "there were " + runs + " runs, now " + store.runs());
    return this;
  }

  private void flush() {
    if (random.nextInt(5) == 0) {
      store.flushDeletions(keys());
    } else {
      store.flush(keys());
    }
  }

  /** Somebody else takes a free slice, or gives up what was taken. */
  private void claimOrFree() {
    if (foreignClaims.isEmpty()) {
      for (SliceFacts slice : ShapeLaws.slices(store.shape())) {
        if (!slice.claimed() && random.nextInt(10) == 0) {
          store.claim(slice.slice(), true);
          foreignClaims.add(slice.slice());
        }
      }
    } else {
      foreignClaims.forEach(slice -> store.claim(slice, false));
      foreignClaims.clear();
    }
  }

  private void endJobs() {
    if (!foreignClaims.isEmpty()) {
      claimOrFree();
    }
    for (ShapeStore.Job job : jobs) {
      if (random.nextBoolean()) {
        store.abandon(job);
      } else {
        store.step(job, Integer.MAX_VALUE);
      }
    }
    jobs.clear();
  }

  private void run(boolean everything) {
    Shape start = store.shape();
    long tables = store.slices() + start.bytes() / TABLE_BYTES + 1;
    long bound = tables * (start.levels().size() + 8);
    for (long plans = 0; ; plans++) {
      Shape shape = store.shape();
      Optional<Plan> plan = ask(shape, Budget.unlimited(), everything);
      if (plan.isEmpty()) {
        return;
      }
      law(9, plans < bound, "no rest after " + bound + " plans, now " + plan.get());
      store.apply(plan.get());
      verifyData();
    }
  }

  private void plan(Budget budget, boolean everything) {
    Optional<Plan> plan = ask(store.shape(), budget, everything);
    if (plan.isEmpty()) {
      return;
    }
    if (plan.get() instanceof Plan.Merge merge) {
      jobs.add(store.begin(merge));
    } else {
      store.apply(plan.get());
    }
  }

  private Optional<Plan> ask(Shape shape, Budget budget, boolean everything) {
    ShapeLaws laws = new ShapeLaws(policy, budget, everything, MAX_LEVEL);
    laws.broken(shape).ifPresent(broken -> fail(laws, shape, broken));
    return laws.plan(shape);
  }

  /** Fails with the smallest shape that still breaks the law. */
  private void fail(ShapeLaws laws, Shape shape, ShapeLaws.Broken broken) {
    Shape smallest =
        ShapeShrinker.shrink(
            shape,
            smaller ->
                laws.broken(smaller).filter(it -> it.number().equals(broken.number())).isPresent());
    throw new AssertionError(
        laws.broken(smallest).orElse(broken).law()
            + "\nin the smallest shape found (-Dseed="
            + seed
            + "), "
            + (laws.everything() ? "a major compaction" : "the next plan")
            + " of\n"
            + ShapeText.of(smallest, laws.budget()));
  }

  private void verifyData() {
    String wrong = store.wrongKeys();
    law(8, wrong.isEmpty(), wrong);
    store.shape();
  }

  private void verifyBacklog() {
    Shape free = store.shape().unclaimed();
    Backlog backlog = policy.backlog(store.shape());
    boolean wanted = policy.next(free, Budget.unlimited()).isPresent();
    law(9, wanted == backlog.plans() > 0, "plan wanted: " + wanted + ", but " + backlog);
    law(9, backlog.plans() > 0 || backlog.equals(Backlog.NONE), backlog.toString());
  }

  private Budget budget() {
    int slots = Math.max(0, MAX_JOBS - jobs.size());
    return new Budget(slots, random.nextInt(4) == 0 ? 20L * ENTRY_BYTES : Long.MAX_VALUE);
  }

  /** Keys of one flush: spread over all, a dense range, or a single one. */
  private int[] keys() {
    int from = random.nextInt(KEYS);
    return switch (random.nextInt(4)) {
      case 0 -> random.ints(1 + random.nextInt(30), 0, KEYS).toArray();
      case 1 -> IntStream.range(from, Math.min(KEYS, from + 1 + random.nextInt(30))).toArray();
      case 2 -> random.ints(1 + random.nextInt(6), from, Math.min(KEYS, from + 10)).toArray();
      default -> new int[] {from};
    };
  }

  private void law(int law, boolean held, String how) {
    if (!held) {
      throw new AssertionError(
          "law " + law + " (seed " + seed + ", " + rule + "): " + how + "\n" + store.shape());
    }
  }
}
