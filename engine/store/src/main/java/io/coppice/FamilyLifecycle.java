// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice;

import io.coppice.base.ClosedException;
import io.coppice.base.bytes.NameText;
import io.coppice.base.thread.StackCheckedLock;
import io.coppice.base.thread.Workers;
import io.coppice.compaction.context.CompactionContext;
import io.coppice.entry.EntryHooks;
import io.coppice.manifest.FamilyVersions;
import io.coppice.policy.spec.PolicySpec;
import io.coppice.policy.tuner.RewriteAllowance;
import io.coppice.policy.tuner.RungSwitch;
import io.coppice.policy.tuner.Tuner;
import io.coppice.write.family.FamilyWriteLimits;
import java.io.IOException;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.UnaryOperator;

/**
 * Creates, drops and tunes the families of an open store, one change at a time. Safe to share
 * between threads.
 */
final class FamilyLifecycle {

  /**
   * Delay in nanoseconds before the next attempt at a sample that was skipped during a change of
   * families.
   */
  private static final long TUNE_AGAIN_NANOS = 1_000_000_000L;

  private final StoreParts parts;
  private final TunerWorker tuning;

  /** Held while a family is created, changed, tuned or dropped. */
  private final ReentrantLock changing = new StackCheckedLock();

  /** Creates the lifecycle of a store whose other parts may be opened later. */
  FamilyLifecycle(StoreParts parts, StoreOptions options) {
    this.parts = parts;
    this.tuning =
        new TunerWorker(parts.workers, options.name + "-tune", this::tuneAll, this::tuningFailed);
  }

  /** Returns the worker that adapts policies to the load. */
  TunerWorker tuning() {
    return tuning;
  }

  /**
   * Creates a family, opens it for reads and writes, and returns its parts.
   *
   * @throws IllegalArgumentException if the name is taken
   * @throws io.coppice.base.StalledException if the thread is interrupted while it waits; nothing
   *     was changed
   * @throws IOException if the manifest cannot be written
   */
  FamilyParts create(String name, PolicySpec policy) throws IOException {
    changing.lock();
    try {
      parts.checkOpen();
      // After a crash the store then shows a prefix of all changes, this one included.
      parts.writes().sync();
      int number = parts.families.create(name, policy, parts.options.mergeOperator(name));
      FamilyParts family = add(number);
      parts.writes.add(family.writeState());
      tuneFirst(family);
      return family;
    } finally {
      changing.unlock();
    }
  }

  /**
   * Drops a family: stops its merges and waits for them, then stops its writes, then removes all
   * its tables. Does nothing if the family was dropped before. After an exception the family lives
   * on, and its merges restart.
   *
   * @throws InterruptedException if the thread is interrupted while it waits for merges
   * @throws IOException if the manifest cannot be written
   */
  void drop(FamilyParts family) throws IOException, InterruptedException {
    changing.lock();
    try {
      parts.checkOpen();
      if (family.writeState().dropped()) {
        return;
      }
      parts.writes();
      family.writeState().dropping(true);
      parts.writes.signal();
      try {
        parts.compactor.stop(family.number());
        parts.writes.drop(family.writeState(), () -> parts.families.drop(family));
        parts.metrics.forget(family.name());
        parts.compactor.remove(family.number());
        parts.journal.forget(family.name());
      } finally {
        if (!family.writeState().dropped()) {
          family.writeState().dropping(false);
          parts.compactor.restart(family.number());
        }
      }
    } finally {
      changing.unlock();
    }
  }

  /**
   * Changes the policy of a family durably.
   *
   * @throws ClosedException if the family was dropped
   * @throws IOException if the manifest cannot be written; the policy in force then stays
   */
  void policy(FamilyParts family, PolicySpec policy) throws IOException {
    changing.lock();
    try {
      checkChangeable(family);
      PolicySpec before = parts.families.inForce(family.number());
      parts.families.policy(family.number(), policy);
      if (!policy.equals(before)) {
        tuned(family);
      }
      decides(family, policy, "it was chosen for the family");
    } finally {
      changing.unlock();
    }
  }

  private void checkChangeable(FamilyParts family) {
    parts.checkOpen();
    if (family.writeState().dropped()) {
      throw new ClosedException(
          "the family " + NameText.quoted(family.name()) + ", which was dropped,");
    }
    parts.writes();
  }

  /** Adds a living family with its metrics; the caller adds it to the write path. */
  FamilyParts add(int number) {
    FamilyParts family = addParts(number);
    FamilyMetrics figures =
        new FamilyMetrics(family, parts.compactor, this::transientLimit, parts.workers::nanoTime);
    family.counts().figures(figures);
    figures.register(parts.metrics);
    return family;
  }

  /** Adds the parts of a living family to the store and the compactor. */
  FamilyParts addParts(int number) {
    PolicySpec policy = parts.families.policy(number);
    FamilyVersions versions = parts.manifest.family(number);
    EntryHooks hooks = parts.options.extensions(versions.name(), parts.clock);
    FamilyParts family =
        FamilyParts.of(
            versions,
            limits(policy),
            parts.tables,
            parts.searching,
            parts::visible,
            hooks,
            parts.metrics::add,
            this::wakeWriters);
    family.counts().policy(policy.toString());
    parts.families.add(family);
    parts.compactor.add(family.compactionContext(policy, merges(policy, hooks)));
    return family;
  }

  /** Wakes waiting writers; a store that is read alone has none. */
  private void wakeWriters() {
    if (parts.writes != null) {
      parts.writes.signal();
    }
  }

  private void decides(FamilyParts family, PolicySpec policy, String reason) {
    family.writeState().limits(limits(policy));
    family.counts().policy(policy.toString());
    parts.compactor.policy(family.number(), policy, merges(policy, family.hooks()), reason);
  }

  /**
   * Changes the policy of a family until the store is closed; the manifest keeps its own.
   *
   * @param change maps the policy in force to the new one; an exception that it throws changes
   *     nothing and reaches the caller
   * @return the policy now in force
   * @throws ClosedException if the family was dropped
   */
  PolicySpec tune(FamilyParts family, UnaryOperator<PolicySpec> change) {
    changing.lock();
    try {
      checkChangeable(family);
      PolicySpec before = parts.families.inForce(family.number());
      PolicySpec next = change.apply(before);
      if (!next.equals(before)) {
        parts.families.tune(family.number(), next);
        tuned(family);
        decides(family, next, "it was chosen until the store is closed");
        StoreParts.LOG.log(
            System.Logger.Level.INFO,
            "{0}: the policy of family {1} is {2} until the store is closed; it was {3}",
            parts.disk.describe(),
            NameText.quoted(family.name()),
            next,
            before);
      }
      return next;
    } finally {
      changing.unlock();
    }
  }

  /** Starts tuning of a new family if its policy adapts to the load. */
  void tuneFirst(FamilyParts family) {
    if (Tuner.tunes(parts.families.inForce(family.number()))) {
      tuned(family);
    }
  }

  /**
   * Lets the tuner observe a policy that it did not choose, which also starts the tuner's minimum
   * dwell time. Must precede the first request to the policy, because merges may then read as much
   * as the tuner allows. The caller holds {@link #changing}.
   */
  private void tuned(FamilyParts family) {
    PolicySpec inForce = parts.families.inForce(family.number());
    tuning.guard(() -> observe(family, inForce));
    if (Tuner.tunes(inForce)) {
      tuning.wake();
    }
  }

  private void observe(FamilyParts family, PolicySpec inForce) {
    family
        .tuner()
        .observe(inForce, parts.workers.nanoTime(), () -> parts.compactor.status(family.number()))
        .ifPresent(made -> switched(family, made));
  }

  /**
   * Takes the samples that are due, of all families. Returns the nanoseconds until the next one, or
   * {@link Workers#UNTIL_WOKEN} if no policy adapts.
   */
  private long tuneAll() {
    long rest = Workers.UNTIL_WOKEN;
    for (FamilyParts family : parts.families.all()) {
      rest = Math.min(rest, tune(family));
    }
    return rest;
  }

  /**
   * Takes a family's sample if it is due. Returns the nanoseconds until its next one, or {@link
   * Workers#UNTIL_WOKEN} if its policy does not adapt. Does not wait.
   */
  private long tune(FamilyParts family) {
    PolicySpec inForce = parts.families.inForce(family.number());
    if (inForce == null || !Tuner.tunes(inForce)) {
      return Workers.UNTIL_WOKEN;
    }
    long left = family.tuner().untilDue(parts.workers.nanoTime());
    if (left > 0) {
      return left;
    }
    // Never waits: the holder of the lock may wait long, and a lost sample does no harm. If one
    // thread runs all work, the holder may be the caller that runs this step.
    if (changing.isHeldByCurrentThread() || !changing.tryLock()) {
      return TUNE_AGAIN_NANOS;
    }
    try {
      PolicySpec decides = parts.families.inForce(family.number());
      if (parts.closing() || family.writeState().dropped() || !Tuner.tunes(decides)) {
        return Workers.UNTIL_WOKEN;
      }
      observe(family, decides);
      return family.tuner().untilDue(parts.workers.nanoTime());
    } finally {
      changing.unlock();
    }
  }

  /** Puts a tuner's policy switch in force. The caller holds {@link #changing}. */
  private void switched(FamilyParts family, RungSwitch made) {
    parts.families.tune(family.number(), made.after());
    decides(family, made.after(), made.reason().sentence());
    parts.journal.note(family.name(), made);
    family.counts().sums().recordRungSwitch(made);
    StoreParts.LOG.log(
        System.Logger.Level.INFO,
        "{0}: the tuner changed the policy of family {1} to {2}, until its next change or the close"
            + " of the store: {3}",
        parts.disk.describe(),
        NameText.quoted(family.name()),
        made.after(),
        made.reason().sentence());
  }

  /**
   * Ends tuning after a failure: all policies stay as they are, and the rewrite budgets of their
   * families become unlimited.
   */
  private void tuningFailed(Throwable cause) {
    StoreParts.log(
        System.Logger.Level.WARNING,
        "the tuner failed and stops until the store is opened again",
        cause);
    for (FamilyParts family : parts.families.all()) {
      family.budget().allow(RewriteAllowance.ANY);
    }
    parts.compactor.signal();
  }

  /** Returns the write limits that a policy sets. */
  static FamilyWriteLimits limits(PolicySpec policy) {
    return new FamilyWriteLimits(policy.tableBytes(), policy.toleratedRuns());
  }

  private CompactionContext merges(PolicySpec policy, EntryHooks hooks) {
    return new CompactionContext(
        parts.workers,
        parts.disk,
        parts.cleaner,
        parts.compactionRate,
        parts.reserve,
        this::unflushedBytes,
        parts.tables,
        parts.snapshots,
        hooks,
        parts.manifest::nextNumber,
        policy.tableBytes());
  }

  private long unflushedBytes() {
    return parts.families.all().stream()
        .mapToLong(one -> one.writeState().memtables().usedBytes())
        .sum();
  }

  /**
   * Returns the transient disk space in bytes that merges may take: the option {@code
   * maxTransientSpace}, or the free disk space if that is less.
   */
  private long transientLimit() {
    long limit = parts.options.maxTransientSpace;
    try {
      return Math.min(limit, parts.disk.freeBytes());
    } catch (IOException e) {
      return limit;
    }
  }
}
