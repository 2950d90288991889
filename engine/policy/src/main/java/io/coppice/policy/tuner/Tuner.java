// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.policy.tuner;

import io.coppice.policy.spec.AdaptiveRung;
import io.coppice.policy.spec.PolicyRegistry;
import io.coppice.policy.spec.PolicySpec;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Tuner of the rung of an {@code adaptive} policy. Each sample of the host's counters goes into a
 * {@link LoadAverager}. Once the {@code dwell} since the last switch is over, the tuner returns a
 * switch that is worthwhile. The host applies it like a policy that a person configures, and passes
 * the policy in force with each sample. The tuner therefore also sees changes made elsewhere. It
 * has no clock of its own: equal samples and policies give equal switches. Thread-safe.
 */
public final class Tuner {

  /** Seconds between two samples of a host. */
  public static final long SAMPLE_SECONDS = 5;

  private static final double NANOS = 1e9;

  private final RewriteBudget budget;

  // Guarded by this.
  private final LoadAverager averager = new LoadAverager();
  private @Nullable Load load;
  private List<LoadAverager> ofShards = List.of();
  private List<Load> shards = List.of();
  private @Nullable PolicySpec known;
  private long since;
  private RewriteAllowance allowance = RewriteAllowance.ANY;

  /**
   * Creates a tuner without samples.
   *
   * @param budget rewrite budget of the same family or table; each sample updates its allowance
   */
  public Tuner(RewriteBudget budget) {
    this.budget = budget;
  }

  /**
   * Returns whether a tuner changes the rung of this policy: {@code adaptive} with {@code adapt}.
   * Other policies need no samples.
   *
   * @param inForce the policy in force
   */
  public static boolean tunes(PolicySpec inForce) {
    return inForce.policyName().equals(PolicyRegistry.ADAPTIVE)
        && inForce.value(PolicyRegistry.ADAPT) != 0;
  }

  /** Returns the number of shards of a policy; 1 if it does not divide the keys. */
  public static int shards(PolicySpec inForce) {
    return inForce.policyName().equals(PolicyRegistry.ADAPTIVE)
        ? AdaptiveRung.ofShards(inForce).length
        : 1;
  }

  /**
   * Returns the time between samples that suits a policy, in seconds: {@link #SAMPLE_SECONDS}, or
   * less for a short window or dwell, at least 1.
   *
   * @throws IllegalArgumentException if the policy is not {@code adaptive}
   */
  public static long sampleSeconds(PolicySpec adaptive) {
    long shorter =
        Math.min(adaptive.value(PolicyRegistry.WINDOW), adaptive.value(PolicyRegistry.DWELL));
    return Math.max(1, Math.min(SAMPLE_SECONDS, shorter / 2));
  }

  /**
   * Adds a sample and updates the rewrite allowance.
   *
   * @param inForce the policy in force; the result is empty unless {@link #tunes} accepts it
   * @param sample the sample, with as many shards as the policy, or none if the host does not
   *     separate them
   * @return a switch that the host must apply now, because the tuner treats it as made; empty if
   *     none is worthwhile yet
   */
  public synchronized Optional<RungSwitch> observe(PolicySpec inForce, LoadSample sample) {
    Optional<RungSwitch> made = decide(inForce, sample, budget.begunBytes());
    budget.allow(allowance);
    return made;
  }

  private Optional<RungSwitch> decide(PolicySpec inForce, LoadSample sample, long mergedBytes) {
    if (!Tuner.tunes(inForce)) {
      known = null;
      allowance = RewriteAllowance.ANY;
      return Optional.empty();
    }
    analyse(sample, inForce.value(PolicyRegistry.WINDOW));
    allowance = allowance.paying(paid(inForce), sample.flushedBytes());
    if (!inForce.equals(known)) {
      // This is the first sample or a change made elsewhere, which gets a dwell time as well.
      if (known != null && !AdaptiveRung.alike(known, inForce)) {
        allowance = allowance(known, inForce, sample, mergedBytes);
      }
      known = inForce;
      since = sample.nanos();
      return Optional.empty();
    }
    if ((sample.nanos() - since) / NANOS < inForce.value(PolicyRegistry.DWELL)) {
      return Optional.empty();
    }
    Optional<RungChoice> choice = RungChoice.of(inForce, load, shards);
    return choice.isPresent()
        ? Optional.of(made(inForce, choice.get(), sample, mergedBytes))
        : Optional.empty();
  }

  private void analyse(LoadSample sample, long window) {
    load = averager.add(sample, window);
    List<LoadSample> samples = sample.shards();
    if (ofShards.size() != samples.size()) {
      ofShards = new ArrayList<>();
      while (ofShards.size() < samples.size()) {
        ofShards.add(new LoadAverager());
      }
    }
    List<Load> counted = new ArrayList<>();
    boolean known = true;
    for (int i = 0; i < samples.size(); i++) {
      counted.add(ofShards.get(i).add(samples.get(i), window));
      known &= counted.get(i).seconds() >= window / 2.0;
    }
    shards = known ? load.parts(counted) : List.of();
  }

  private RungSwitch made(
      PolicySpec before, RungChoice choice, LoadSample sample, long mergedBytes) {
    allowance = allowance(before, choice.after(), sample, mergedBytes);
    known = choice.after();
    since = sample.nanos();
    return new RungSwitch(
        sample.nanos(), before, choice.after(), load, shards, choice.reason(), allowance);
  }

  private RewriteAllowance allowance(
      PolicySpec before, PolicySpec after, LoadSample sample, long mergedBytes) {
    long bytes = RungChoice.spent(before, after, load, shards);
    return new RewriteAllowance(bytes, paid(after), sample.flushedBytes(), mergedBytes);
  }

  /**
   * Returns the input bytes that merges may read for each flushed byte, for the present size of the
   * store.
   */
  private double paid(PolicySpec inForce) {
    double paid = 0;
    for (int rung : AdaptiveRung.ofShards(inForce)) {
      paid = Math.max(paid, CostModel.mergesPaid(load, AdaptiveRung.LADDER.get(rung)));
    }
    return paid;
  }

  /** Returns the load averaged last, or empty before the first sample. */
  public synchronized Optional<Load> load() {
    return Optional.ofNullable(load);
  }
}
