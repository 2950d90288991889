// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.policy.observe;

import io.coppice.policy.Reason;
import io.coppice.policy.spec.PolicyOption;
import io.coppice.policy.spec.PolicySpec;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * Snapshot of one table's compaction: a value of numbers, texts and lists of such, which {@link
 * OpenRecords} can carry to a client without these classes.
 *
 * @param name the table, {@code keyspace.table} in Cassandra; store and family in a store
 * @param policy the policy in force with all its options, in the text form of {@link PolicySpec}
 * @param configured the policy in force after {@link StrategyMXBean#revert} or a restart
 * @param tunables the options of the policy in force, in the order of its text
 * @param runs the nonempty runs by part, then level, level 0 first, then newest first
 * @param segments overlap clusters of at least two tables of one level
 * @param counters counts since the process started or the table first used a Coppice policy
 * @param amplification cost of a byte and a read since the counters began
 * @param backlog the backlog of the policy
 * @param decisions the last hundred decisions, newest first
 */
public record StrategySnapshot(
    String name,
    String policy,
    String configured,
    List<Tunable> tunables,
    List<Run> runs,
    List<Segment> segments,
    List<Counter> counters,
    Amplification amplification,
    Backlog backlog,
    List<Decision> decisions) {

  /** Copies all lists of the snapshot. */
  public StrategySnapshot {
    tunables = List.copyOf(tunables);
    runs = List.copyOf(runs);
    segments = List.copyOf(segments);
    counters = List.copyOf(counters);
    decisions = List.copyOf(decisions);
  }

  /**
   * An option with its values, all as text that {@link PolicySpec} reads.
   *
   * @param type {@code integer}, {@code size}, {@code decimal}, {@code flag} or {@code space}
   * @param range the least and the greatest value, both inclusive
   * @param unit unit of the values, for example {@code runs} or {@code bytes}
   * @param standard the default value
   * @param configured the value from schema or store options
   * @param current the value in force
   * @param needsRewrite whether tables take a new value only when they are next rewritten
   * @param effect one sentence about what the option does
   */
  public record Tunable(
      String name,
      String type,
      String range,
      String unit,
      String standard,
      String configured,
      String current,
      boolean needsRewrite,
      String effect) {

    /** Returns the options of a policy in force, with their configured values. */
    public static List<Tunable> of(PolicySpec current, PolicySpec configured) {
      List<Tunable> tunables = new ArrayList<>();
      for (PolicyOption option : current.options()) {
        String now = current.texts().get(option.name());
        tunables.add(
            new Tunable(
                option.name(),
                option.type().name().toLowerCase(Locale.ROOT),
                option.range(),
                option.unit(),
                option.format(option.defaultValue()),
                configured.texts().getOrDefault(option.name(), now),
                now,
                option.needsRewrite(),
                option.effect()));
      }
      return tunables;
    }
  }

  /**
   * A run: tables that do not overlap.
   *
   * @param part a set of tables that the host compacts separately, such as a repair state in one
   *     data directory; empty if the table has one part
   * @param run position in the level, 0 newest
   * @param bytes bytes on disk of its tables and slices
   * @param claimedBytes bytes on disk of those that a running plan uses
   * @param low the smallest key, or its token, as text
   * @param high the largest key, or its token, as text
   * @param minTimestamp the oldest timestamp of its cells, in the unit of the host; 0 in a store,
   *     whose entries have none
   * @param maxTimestamp the newest timestamp of its cells, in the same unit
   * @param droppable the fraction of its cells that are tombstones old enough to drop, weighted by
   *     table bytes; at most a minute old
   */
  public record Run(
      String part,
      int level,
      int run,
      int tables,
      long bytes,
      long entries,
      long claimedBytes,
      String low,
      String high,
      long minTimestamp,
      long maxTimestamp,
      double droppable) {}

  /**
   * An overlap cluster of tables of one level.
   *
   * @param depth largest number of its tables that overlap one key
   * @param bytes bytes on disk of its tables and slices
   * @param low the smallest key, or its token, as text
   * @param high the largest key, or its token, as text
   */
  public record Segment(
      String part, int level, int tables, int depth, long bytes, String low, String high) {}

  /** A number that only grows. */
  public record Counter(String name, long value) {}

  /**
   * Cost of a written byte and of a read.
   *
   * @param write bytes flushed and merged for each byte flushed; 1 while nothing was merged
   * @param tablesPerRead mean number of tables that a recent lookup checked
   * @param flushedBytes bytes on disk of the tables that flushes have written
   * @param mergedBytes bytes on disk of the tables that merges have written
   */
  public record Amplification(
      double write, double tablesPerRead, long flushedBytes, long mergedBytes) {}

  /**
   * Backlog of a policy.
   *
   * @param plans lower bound of the plans still wanted
   * @param bytes bytes on disk of the inputs of the merges among them
   * @param seconds time of these merges in seconds at the recent throughput; -1 while the
   *     throughput is unknown
   * @param headroomBytes least transient bytes that any of the plans needs to start; with several
   *     parts, the value of the part that needs most
   * @param allowedBytes transient bytes that merges may take; {@link Long#MAX_VALUE} means no limit
   * @param liveBytes bytes on disk of all tables
   * @param freeBytes free disk space for tables in bytes; -1 if unknown
   */
  public record Backlog(
      int plans,
      long bytes,
      long seconds,
      long headroomBytes,
      long allowedBytes,
      long liveBytes,
      long freeBytes) {}

  /**
   * A plan that a host started, or a policy switch by a tuner.
   *
   * @param id number from 1, without gaps
   * @param atMillis time in milliseconds since 1970
   * @param kind {@code move}, {@code delay}, {@code drop}, {@code merge}, {@code switch}, or {@code
   *     aside} for tables excluded after failures
   * @param code reason for machines, see {@link Reason#code}
   * @param sentence reason for people
   * @param tables number of tables that it uses
   * @param bytes bytes on disk of these tables
   * @param level level that receives them or their outputs
   * @param transientBytes largest temporary disk use in bytes; 0 for metadata alone
   * @param policy the policy in force when it was made; for a switch the new one
   */
  public record Decision(
      long id,
      long atMillis,
      String kind,
      String code,
      String sentence,
      int tables,
      long bytes,
      int level,
      long transientBytes,
      String policy) {}

  /** Returns the value of a counter, or 0 if no such counter exists. */
  public long counter(String counter) {
    return counters.stream()
        .filter(one -> one.name.equals(counter))
        .mapToLong(Counter::value)
        .findFirst()
        .orElse(0);
  }
}
