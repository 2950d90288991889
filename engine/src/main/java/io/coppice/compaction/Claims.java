// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.compaction;

import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * The tables that plans under way use, and where those plans write. A plan takes all its tables or
 * none. Guarded by the compactor's lock.
 */
final class Claims {

  /**
   * A plan under way.
   *
   * @param low the smallest key an output can have, inclusive
   * @param high the largest key an output can have, inclusive
   */
  record Job(int level, long run, byte[] low, byte[] high, Set<Long> tables) {}

  private final Set<Long> tables = new HashSet<>();
  private final List<Job> jobs = new ArrayList<>();

  /** Takes a plan's tables. */
  void take(Job job) {
    for (long table : job.tables()) {
      if (tables.contains(table)) {
        throw new IllegalStateException("table " + table + " is already claimed");
      }
    }
    tables.addAll(job.tables());
    jobs.add(job);
  }

  /** Gives a plan's tables back. */
  void release(Job job) {
    if (!jobs.remove(job)) {
      throw new IllegalStateException("no such claim: " + job);
    }
    tables.removeAll(job.tables());
  }

  /** All tables of all plans; not to be written to. */
  Set<Long> tables() {
    return tables;
  }

  boolean holds(long table) {
    return tables.contains(table);
  }

  Collection<Job> jobs() {
    return jobs;
  }
}
