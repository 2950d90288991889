// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.policy;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * All that can be seen of one table's compaction at one instant: a value of numbers, texts and
 * lists of such, so that {@link OpenRecords} can carry it to a client without these classes.
 *
 * @param name the table, {@code keyspace.table} in Cassandra
 * @param policy the policy in force with all its options, in the text form of {@link PolicySpec}
 * @param configured what is in force again after {@link StrategyMXBean#revert} or a restart
 * @param tunables the options of the policy in force, in the order of its text
 * @param runs by part, level, and newest first
 * @param segments tables of one level that hang together by overlap, where that are two or more
 * @param counters since the process started, or the table first came to one of our policies
 * @param amplification what a byte and a read cost, since the counters began
 * @param debt what the policy still wants
 * @param decisions the last hundred, newest first
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
    Debt debt,
    List<Decision> decisions) {

  /** Copies the lists. */
  public StrategySnapshot {
    tunables = List.copyOf(tunables);
    runs = List.copyOf(runs);
    segments = List.copyOf(segments);
    counters = List.copyOf(counters);
    decisions = List.copyOf(decisions);
  }

  /**
   * An option and its values, all as text that {@link PolicySpec} reads.
   *
   * @param type {@code integer}, {@code size}, {@code decimal}, {@code flag} or {@code space}
   * @param range the least and the greatest value, both inclusive
   * @param standard the value where nobody gave one
   * @param configured the value of schema or store options
   * @param current the value in force
   * @param needsRewrite true if tables take a new value when they are next rewritten
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

    /** The options of a policy in force, beside what is configured. */
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
   * Tables that do not overlap.
   *
   * @param part what the host compacts apart from the rest, such as a repair state in one data
   *     directory; empty where there is one part only
   * @param run its place in the level, 0 newest
   * @param claimedBytes bytes of tables that a plan under way uses
   * @param low the smallest key, or its token, as text
   * @param high the largest key, or its token, as text
   * @param minTimestamp the oldest timestamp of its cells, in the unit of the host; 0 in a store,
   *     whose entries have none
   * @param maxTimestamp the newest, likewise
   * @param droppable the share of its cells that are deletions old enough to go, by bytes of
   *     tables; as of a minute ago at most
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
   * Tables of one level that hang together by overlap.
   *
   * @param depth the most of them that lie over one key
   */
  public record Segment(
      String part, int level, int tables, int depth, long bytes, String low, String high) {}

  /** A number that only grows. */
  public record Counter(String name, long value) {}

  /**
   * What a byte written and a read cost.
   *
   * @param write bytes flushed and merged for each byte flushed; 1 while nothing was merged
   * @param tablesPerRead tables that a lookup of late looked into, on average
   * @param flushedBytes bytes of tables that flushes have written
   * @param mergedBytes bytes of tables that merges have written
   */
  public record Amplification(
      double write, double tablesPerRead, long flushedBytes, long mergedBytes) {}

  /**
   * What a policy still wants.
   *
   * @param plans at least so many
   * @param bytes input bytes of the merges among them
   * @param seconds how long these take at the pace of late; -1 while no pace is known
   * @param headroomBytes transient bytes without which none of the plans can start; of several
   *     parts, those of the one that needs most
   * @param allowedBytes transient bytes that are allowed; {@link Long#MAX_VALUE} for any
   * @param liveBytes bytes of all tables
   * @param freeBytes what the disk has left for tables; -1 if that cannot be told
   */
  public record Debt(
      int plans,
      long bytes,
      long seconds,
      long headroomBytes,
      long allowedBytes,
      long liveBytes,
      long freeBytes) {}

  /**
   * A plan that was taken up, or another policy that a tuner put in force.
   *
   * @param id from 1, without gaps
   * @param atMillis since 1970
   * @param kind {@code move}, {@code delay}, {@code drop}, {@code merge}, {@code switch}, or {@code
   *     aside} for tables that failures have put aside
   * @param code why, for machines, see {@link Reason#code}
   * @param sentence why, for people
   * @param tables how many it uses
   * @param bytes of these
   * @param level where they, or what becomes of them, go
   * @param transientBytes what it may take of the disk for a moment, 0 for metadata alone
   * @param policy the policy in force when it was made; of a switch the new one
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

  /** The value of a counter; 0 for one that there is not. */
  public long counter(String counter) {
    return counters.stream()
        .filter(one -> one.name.equals(counter))
        .mapToLong(Counter::value)
        .findFirst()
        .orElse(0);
  }
}
