// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.policy;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Tuner of the rung of an {@code adaptive} policy. Each sample of the host's counters goes into an
 * {@link Analyser}. Once the dwell time is over, the tuner returns a switch that is worthwhile. The
 * host applies it like a policy that a person configures, and passes the policy in force with each
 * sample. The tuner therefore also sees changes made elsewhere. It uses neither a clock nor
 * threads: equal samples and policies give equal switches. Thread-safe.
 */
public final class Tuner {

  /** Seconds between two samples of a host. */
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
   * Creates a tuner without samples.
   *
   * @param rewrites rewrite budget of the same host; each sample updates its allowance
   */
  public Tuner(Rewrites rewrites) {
    this.rewrites = rewrites;
  }

  /**
   * Returns whether a tuner changes this policy; other policies need no samples.
   *
   * @param inForce the policy in force
   */
  public static boolean tunes(PolicySpec inForce) {
    return inForce.policyName().equals(PolicyCatalogue.ADAPTIVE)
        && inForce.value(PolicyCatalogue.ADAPT) != 0;
  }

  /** Returns the number of shards of a policy; 1 if it divides no keys. */
  public static int shards(PolicySpec inForce) {
    return inForce.policyName().equals(PolicyCatalogue.ADAPTIVE)
        ? Rung.ofShards(inForce).length
        : 1;
  }

  /**
   * Returns the seconds between samples that suit a policy: {@link #SAMPLE_SECONDS}, or fewer for a
   * short window or dwell.
   */
  public static long sampleSeconds(PolicySpec adaptive) {
    long shorter =
        Math.min(adaptive.value(PolicyCatalogue.WINDOW), adaptive.value(PolicyCatalogue.DWELL));
    return Math.max(1, Math.min(SAMPLE_SECONDS, shorter / 2));
  }

  /**
   * Adds a sample and updates the rewrite allowance.
   *
   * @param inForce the policy in force; there is no switch unless it is one to tune
   * @param sample the sample, with as many shards as the policy, or none if the host does not
   *     separate them
   * @return a switch that the host applies now; it counts as made
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
      // This is the first sample or a change made elsewhere, which gets a dwell time as well.
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

  /** Returns the merge bytes that a flushed byte pays for, in the present state of the store. */
  private double paid(PolicySpec inForce) {
    double paid = 0;
    for (int rung : Rung.ofShards(inForce)) {
      paid = Math.max(paid, CostModel.mergesPaid(load, Rung.LADDER.get(rung)));
    }
    return paid;
  }

  /** Returns the load averaged last, or empty before the first sample. */
  public synchronized Optional<Load> load() {
    return Optional.ofNullable(load);
  }
}
