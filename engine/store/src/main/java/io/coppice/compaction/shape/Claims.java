// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.compaction.shape;

import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.Set;

/**
 * Tables and targets of running plans. A plan claims all its tables or none. Used by one thread at
 * a time, under the compactor's lock.
 */
public final class Claims {

  /**
   * Claim of a running plan.
   *
   * @param level the level of its target
   * @param run the run that receives its outputs
   * @param low the smallest key an output can have, inclusive
   * @param high the largest key an output can have, inclusive
   * @param tables numbers of the tables it uses
   */
  public record Claim(int level, long run, byte[] low, byte[] high, Set<Long> tables) {}

  private final ArrayList<Claim> jobs = new ArrayList<>();

  /** Reserves memory, so that the next {@link #take} succeeds with a full heap. */
  public void prepare() {
    jobs.ensureCapacity(jobs.size() + 1);
  }

  /**
   * Claims a plan's tables.
   *
   * @throws IllegalStateException if another plan has claimed one of them; this claim then has no
   *     effect
   */
  public void take(Claim job) {
    for (long table : job.tables()) {
      if (holds(table)) {
        throw new IllegalStateException("table " + table + " is already claimed");
      }
    }
    jobs.add(job);
  }

  /**
   * Releases a plan's tables. It allocates nothing, because a failed release is never retried.
   *
   * @param job the object given to {@link #take}
   * @throws IllegalStateException if it holds no claim
   */
  public void release(Claim job) {
    for (int i = 0; i < jobs.size(); i++) {
      if (jobs.get(i) == job) {
        jobs.remove(i);
        return;
      }
    }
    throw new IllegalStateException("no such claim: " + job);
  }

  /** Returns the numbers of all claimed tables. The caller owns the set. */
  Set<Long> tables() {
    Set<Long> tables = new HashSet<>();
    for (Claim job : jobs) {
      tables.addAll(job.tables());
    }
    return tables;
  }

  boolean holds(long table) {
    for (Claim job : jobs) {
      if (job.tables().contains(table)) {
        return true;
      }
    }
    return false;
  }

  Collection<Claim> jobs() {
    return jobs;
  }
}
