// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.policy;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Changes the rung of an {@code adaptive} policy by what its host counts: each sample goes into an
 * {@link Analyser}, and once the dwell is over a switch that is worth it is handed out. The host
 * puts it in force as it would a policy that a person names, and says in force what it has; so
 * whatever else changed the policy meanwhile counts. Has no clock and no threads: equal samples and
 * policies give equal switches. Safe to share between threads.
 */
public final class Tuner {

  /** How often a host should take a sample, in seconds. */
  public static final long SAMPLE_SECONDS = 5;

  private static final double NANOS = 1e9;

  private final Rewrites rewrites;

  // Guarded by this.
  private final Analyser analyser = new Analyser();
  private @Nullable Load load;
  private List<Analyser> ofShards = List.of();
  private List<Load> shards = List.of();
  private @Nullable PolicySpec known;
  private long since;
  private Allowance allowance = Allowance.ANY;

  /**
   * Has seen no sample yet.
   *
   * @param rewrites of the same host; gets what merges may read with each sample
   */
  public Tuner(Rewrites rewrites) {
    this.rewrites = rewrites;
  }

  /**
   * True if the policy is one that a tuner changes; for others samples need not be taken.
   *
   * @param inForce the policy that decides now
   */
  public static boolean tunes(PolicySpec inForce) {
    return inForce.policyName().equals(PolicyCatalogue.ADAPTIVE)
        && inForce.value(PolicyCatalogue.ADAPT) != 0;
  }

  /** Into how many shards a policy parts the keys; 1 if it does not. */
  public static int shards(PolicySpec inForce) {
    return inForce.policyName().equals(PolicyCatalogue.ADAPTIVE)
        ? Rung.ofShards(inForce).length
        : 1;
  }

  /**
   * Seconds from one sample to the next that suit a policy: {@link #SAMPLE_SECONDS}, and fewer
   * where it looks at less time.
   */
  public static long sampleSeconds(PolicySpec adaptive) {
    long shorter =
        Math.min(adaptive.value(PolicyCatalogue.WINDOW), adaptive.value(PolicyCatalogue.DWELL));
    return Math.max(1, Math.min(SAMPLE_SECONDS, shorter / 2));
  }

  /**
   * Takes a sample; what merges may read is in force afterwards.
   *
   * @param inForce the policy that decides now; nothing is handed out unless it is one to tune
   * @param sample with as many shards as the policy parts keys into, or none if they cannot be told
   *     apart
   * @return a switch to be put in force now, which then counts as made
   */
  public synchronized Optional<Switch> observe(PolicySpec inForce, LoadSample sample) {
    Optional<Switch> made = decide(inForce, sample, rewrites.begunBytes());
    rewrites.allow(allowance);
    return made;
  }

  private Optional<Switch> decide(PolicySpec inForce, LoadSample sample, long mergedBytes) {
    if (!Tuner.tunes(inForce)) {
      known = null;
      allowance = Allowance.ANY;
      return Optional.empty();
    }
    analyse(sample, inForce.value(PolicyCatalogue.WINDOW));
    allowance = allowance.paying(paid(inForce), sample.flushedBytes());
    if (!inForce.equals(known)) {
      // The first sample, or somebody else's choice: that has its dwell as well.
      if (known != null && !Rung.alike(known, inForce)) {
        allowance = allowance(known, inForce, sample, mergedBytes);
      }
      known = inForce;
      since = sample.nanos();
      return Optional.empty();
    }
    if ((sample.nanos() - since) / NANOS < inForce.value(PolicyCatalogue.DWELL)) {
      return Optional.empty();
    }
    Optional<Choice> choice = Choice.of(inForce, load, shards);
    return choice.isPresent()
        ? Optional.of(made(inForce, choice.get(), sample, mergedBytes))
        : Optional.empty();
  }

  private void analyse(LoadSample sample, long window) {
    load = analyser.add(sample, window);
    List<LoadSample> samples = sample.shards();
    if (ofShards.size() != samples.size()) {
      ofShards = new ArrayList<>();
      while (ofShards.size() < samples.size()) {
        ofShards.add(new Analyser());
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

  private Switch made(PolicySpec before, Choice choice, LoadSample sample, long mergedBytes) {
    allowance = allowance(before, choice.after(), sample, mergedBytes);
    known = choice.after();
    since = sample.nanos();
    return new Switch(
        sample.nanos(), before, choice.after(), load, shards, choice.reason(), allowance);
  }

  private Allowance allowance(
      PolicySpec before, PolicySpec after, LoadSample sample, long mergedBytes) {
    long bytes = Choice.spent(before, after, load, shards);
    return new Allowance(bytes, paid(after), sample.flushedBytes(), mergedBytes);
  }

  /** What a byte that is flushed pays for, as the store is now. */
  private double paid(PolicySpec inForce) {
    double paid = 0;
    for (int rung : Rung.ofShards(inForce)) {
      paid = Math.max(paid, CostModel.mergesPaid(load, Rung.LADDER.get(rung)));
    }
    return paid;
  }

  /** The load as it was averaged last; empty before the first sample. */
  public synchronized Optional<Load> load() {
    return Optional.ofNullable(load);
  }
}
