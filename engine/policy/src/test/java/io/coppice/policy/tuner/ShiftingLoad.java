// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.policy.tuner;

import io.coppice.policy.Budget;
import io.coppice.policy.MergeRule;
import io.coppice.policy.Plan;
import io.coppice.policy.Policy;
import io.coppice.policy.Shape;
import io.coppice.policy.ShapeStore;
import io.coppice.policy.spec.PolicyLimits;
import io.coppice.policy.spec.PolicySpec;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;

/**
 * A store whose load turns from writes to lookups, to walks and to skewed keys, on a clock that
 * stands in its samples: merges are carried out on keys, take no time and are paid by what they
 * write. What a phase costs follows from bytes merged and runs counted. An entry stands for as many
 * as fill its bytes. Used once.
 */
public final class ShiftingLoad {

  /** What is done in a second. */
  public enum Phase {
    WRITE(160_000, 8_000, 0),
    READ(16_000, 300_000, 0),
    SCAN(1_000, 0, 10_000),
    ZIPF(100_000, 100_000, 0);

    private final double writes;
    private final double lookups;
    private final double walks;

    Phase(double writes, double lookups, double walks) {
      this.writes = writes;
      this.lookups = lookups;
      this.walks = walks;
    }

    private boolean skewed() {
      return this == ZIPF;
    }
  }

  /** Turns the rung, if anybody does. */
  public interface Pilot {
    /** The policy that decides from now on. */
    PolicySpec next(PolicySpec inForce, LoadSample sample, RewriteBudget budget);
  }

  static final int PHASE_SECONDS = 120;
  static final int JUDGED_FROM = 40;

  private static final int KEYS = 16_384;
  private static final int FLUSH_KEYS = 256;
  private static final int TABLE_KEYS = 64;
  private static final int REAL_ENTRY_BYTES = 128;
  private static final int REAL_ENTRIES = 128;
  private static final int ENTRY_BYTES = REAL_ENTRY_BYTES * REAL_ENTRIES;
  private static final int WALK_ENTRIES = 20;
  private static final int LOOKUP_NANOS = 2000;
  private static final int PROBES = 16;
  private static final double ZIPF = 0.99;

  /** How often two lookups by that law have the same key, among so many real ones. */
  private static final double SAME_KEY = 0.008;

  private static final long SECOND = 1_000_000_000L;

  public static final PolicyLimits LIMITS =
      new PolicyLimits((long) TABLE_KEYS * ENTRY_BYTES, 1, 1L << 40, 30, false);

  /** Bytes of all keys. */
  public static final long LIVE_BYTES = (long) KEYS * ENTRY_BYTES;

  private final ShapeStore store =
      new ShapeStore(MergeRule.ADJACENT, LIMITS.defaultTableBytes(), ENTRY_BYTES);
  private final RewriteBudget budget = new RewriteBudget(store::flushedBytes);
  private final Random random;
  private final double[] zipf = zipf();
  private final Pilot pilot;
  private final Map<Phase, Double> costs = new EnumMap<>(Phase.class);
  private final Map<Phase, Double> costsOfAll = new EnumMap<>(Phase.class);
  private PolicySpec inForce;
  private Policy policy;
  private double unflushed;
  private long seconds;
  private double writes;
  private double lookups;
  private double walks;
  private double pairs;
  private double equal;
  private long flushes;
  private int switches;
  private long maxSwitchBytes;
  private long readAtSwitch;
  private double paidSinceSwitch;

  /** A store that holds every key, under a policy that is settled. */
  public ShiftingLoad(PolicySpec first, Pilot pilot, long seed) {
    this.random = new Random(seed);
    this.pilot = pilot;
    decides(first);
    int[] all = random.ints(0, KEYS).distinct().limit(KEYS).toArray();
    for (int from = 0; from < KEYS; from += FLUSH_KEYS) {
      flush(Arrays.copyOfRange(all, from, from + FLUSH_KEYS));
    }
  }

  /** One that stays what it is. */
  public static ShiftingLoad fixed(String policy, long seed) {
    PolicySpec spec = PolicySpec.parse(policy, LIMITS);
    return new ShiftingLoad(spec, (inForce, sample, budget) -> inForce, seed);
  }

  /** Goes through all phases. */
  public ShiftingLoad run() {
    for (Phase phase : Phase.values()) {
      double judged = 0;
      double all = 0;
      for (int second = 0; second < PHASE_SECONDS; second++) {
        double cost = second(phase);
        all += cost;
        judged += second < JUDGED_FROM ? 0 : cost;
      }
      costs.put(phase, judged / (PHASE_SECONDS - JUDGED_FROM));
      costsOfAll.put(phase, all / PHASE_SECONDS);
    }
    return this;
  }

  /** Cores that were busy in the part of a phase that is judged. */
  public double cost(Phase phase) {
    return costs.get(phase);
  }

  /** The geometric mean of all phases, each from its first second on. */
  public double whole() {
    double logs = costsOfAll.values().stream().mapToDouble(Math::log).sum();
    return Math.exp(logs / costsOfAll.size());
  }

  public int switches() {
    return switches;
  }

  /** The most that merges read for a switch, beyond what flushes paid for. */
  public long maxSwitchBytes() {
    return maxSwitchBytes;
  }

  /** Of all answers, the one that is wrong, or nothing. */
  public String wrongKeys() {
    return store.wrongKeys();
  }

  private double second(Phase phase) {
    final long mergedBefore = store.mergedBytes();
    seconds++;
    writes += phase.writes;
    lookups += phase.lookups;
    walks += phase.walks;
    pairs += phase.lookups > 0 ? 1e6 : 0;
    equal += phase.lookups > 0 && phase.skewed() ? SAME_KEY * 1e6 : 0;
    unflushed += phase.writes / REAL_ENTRIES;
    while (unflushed >= FLUSH_KEYS) {
      unflushed -= FLUSH_KEYS;
      flush(random.ints(FLUSH_KEYS, 0, KEYS).map(key -> drawn(phase, key)).toArray());
    }
    PolicySpec next = pilot.next(inForce, sample(), budget);
    if (!next.equals(inForce)) {
      switches++;
      readAtSwitch = budget.begunBytes();
      paidSinceSwitch = 0;
      decides(next);
    }
    settle();
    return CostModel.cores(load(phase), runs(), store.mergedBytes() - mergedBefore);
  }

  private int drawn(Phase phase, int uniform) {
    if (!phase.skewed()) {
      return uniform;
    }
    int found = Arrays.binarySearch(zipf, random.nextDouble());
    // Popular keys lie scattered; the factor is odd, and the number of keys a power of two.
    return (found < 0 ? -found - 1 : found) * 40_503 & KEYS - 1;
  }

  private void decides(PolicySpec spec) {
    inForce = spec;
    policy = spec.policy();
  }

  private void flush(int[] keys) {
    long before = store.flushedBytes();
    store.flush(keys);
    paidSinceSwitch += budget.allowance().paid() * (store.flushedBytes() - before);
    flushes++;
    settle();
  }

  private void settle() {
    Shape shape = store.shape();
    for (Optional<Plan> plan = policy.next(shape, budget());
        plan.isPresent();
        plan = policy.next(shape, budget())) {
      if (plan.get() instanceof Plan.Merge) {
        budget.charge(plan.get().reason().cost().readBytes());
        noteSwitchBytes();
      }
      store.apply(plan.get());
      shape = store.shape();
    }
  }

  private Budget budget() {
    return new Budget(1, Long.MAX_VALUE, budget.remaining());
  }

  private void noteSwitchBytes() {
    if (switches > 0) {
      long spent = budget.begunBytes() - readAtSwitch - (long) paidSinceSwitch;
      maxSwitchBytes = Math.max(maxSwitchBytes, spent);
    }
  }

  private double runs() {
    return random.ints(PROBES, 0, KEYS).mapToLong(store::slicesOver).average().orElseThrow();
  }

  private LoadSample sample() {
    long sealed = flushes * FLUSH_KEYS * REAL_ENTRIES;
    return new LoadSample(
        seconds * SECOND,
        (long) writes,
        (long) (writes * REAL_ENTRY_BYTES),
        (long) lookups,
        0,
        (long) walks,
        (long) (walks * WALK_ENTRIES),
        (long) (lookups * LOOKUP_NANOS),
        flushes,
        store.flushedBytes(),
        sealed,
        store.flushedBytes() / REAL_ENTRY_BYTES,
        (long) pairs,
        (long) equal,
        store.diskBytes(),
        store.diskBytes() / REAL_ENTRY_BYTES,
        List.of());
  }

  /** The load itself, to be charged for. */
  private Load load(Phase phase) {
    return new Load(
        1,
        phase.writes,
        phase.writes * REAL_ENTRY_BYTES,
        phase.lookups,
        0,
        phase.walks,
        WALK_ENTRIES,
        LOOKUP_NANOS,
        1,
        phase.skewed() ? SAME_KEY : 0,
        0,
        0,
        store.diskBytes(),
        store.diskBytes() / REAL_ENTRY_BYTES);
  }

  /** Shares of the most popular keys, added up. */
  private static double[] zipf() {
    double[] sums = new double[KEYS];
    double sum = 0;
    for (int i = 0; i < KEYS; i++) {
      sum += Math.pow(i + 1.0, -ZIPF);
      sums[i] = sum;
    }
    for (int i = 0; i < KEYS; i++) {
      sums[i] /= sum;
    }
    return sums;
  }
}
