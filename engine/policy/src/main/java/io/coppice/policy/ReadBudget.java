// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.policy;

import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;

/**
 * Budget of one family, or of a part of a table, for merges requested by reads. The paper
 * (dCompaction, section 3.3) grants every request, and under constant lookups these merges cost
 * what delays save.
 *
 * <p>A request is granted if two conditions hold:
 *
 * <ul>
 *   <li><em>The lookups pay for it.</em> A group is expected to live as long again as it has lived.
 *       A merge is therefore expected to save reads in one future lookup for each past one. The
 *       past ones must already have read as many bytes in its tables beyond the first as the merge
 *       reads.
 *   <li><em>The balance is positive.</em> Flushed bytes and a share of the bytes that lookups read
 *       raise it, and each requested merge lowers it. A merge of any size may start at a positive
 *       balance, so no group is too large forever. The groups with the most tables come first.
 * </ul>
 *
 * <p>The budget skips a group whose merge exceeds the transient space, so that other groups need
 * not wait for it.
 *
 * <p>The share of the bytes that lookups read lets a store without writes converge. Thread-safe.
 */
public final class ReadBudget {

  /**
   * Largest unused balance that is kept, in tables of the size of a merge's outputs. It is enough
   * for a few merges after a quiet time.
   */
  private static final int MAX_KEPT_TABLES = 16;

  /** Number of lookups above the count of any group; half of the range, so that sums fit it. */
  private static final long NEVER = Long.MAX_VALUE / 2;

  /**
   * Decision about the merges requested by reads.
   *
   * @param granted ids for {@link Shape#requests}
   * @param nextLookups for each other group, the number of lookups after which another call may
   *     grant it
   */
  public record Answer(Set<Long> granted, Map<Long, Long> nextLookups) {}

  /** Segments that one requested merge would rewrite, with sums over all segments added. */
  private static final class Group {
    final long id;
    final long lookups;
    double tables;
    int segments;
    long bytes;
    boolean claimed;
    final List<SegmentFacts> members = new ArrayList<>();

    Group(long id, long lookups) {
      this.id = id;
      this.lookups = lookups;
    }

    void add(SegmentFacts segment) {
      tables += segment.slices().size();
      segments++;
      bytes += segment.bytes();
      claimed |= segment.slices().stream().anyMatch(SliceFacts::claimed);
      members.add(segment);
    }

    /** Adds all members to the set, and returns the bytes of those that it lacked. */
    long bytesBeside(Set<SegmentFacts> granted) {
      return members.stream().filter(granted::add).mapToLong(SegmentFacts::bytes).sum();
    }

    /** Returns the mean number of tables that a lookup of a key in the group checks. */
    double meanTables() {
      return tables / segments;
    }
  }

  /**
   * Balance in bytes: the input bytes that requested merges may still read. Several budgets of one
   * table may share it, so that each flush counts once. Thread-safe.
   */
  public static final class Balance {
    private long countedFlushed = -1;
    private double bytes;

    /** Creates an empty balance. */
    public Balance() {}
  }

  private final Map<Long, Long> counted = new HashMap<>();
  private final Balance balance;

  /** Creates a budget with an empty balance of its own. */
  public ReadBudget() {
    this(new Balance());
  }

  /** Creates a budget for a part of a table, whose parts share a balance. */
  public ReadBudget(Balance balance) {
    this.balance = balance;
  }

  /** Decides which merges requested by reads may start, without a limit on transient space. */
  public Answer answer(
      ReadTerms terms, Shape shape, Map<Long, Long> lookups, long flushedBytes, long tableBytes) {
    return answer(terms, shape, lookups, flushedBytes, tableBytes, Shape::requests);
  }

  /**
   * Decides which merges requested by reads may start.
   *
   * @param shape the present shape, whose requests are ignored
   * @param lookups number of lookups that have reached a group, by its id in {@link Shape#requests}
   * @param flushedBytes bytes of all tables flushed by now
   * @param tableBytes table size of merges
   * @param fitting returns those requests of a shape whose merges fit the space, see {@link
   *     Policy#requestsThatFit}
   */
  public Answer answer(
      ReadTerms terms,
      Shape shape,
      Map<Long, Long> lookups,
      long flushedBytes,
      long tableBytes,
      Function<Shape, Set<Long>> fitting) {
    synchronized (balance) {
      return decide(terms, shape, lookups, flushedBytes, tableBytes, fitting);
    }
  }

  private Answer decide(
      ReadTerms terms,
      Shape shape,
      Map<Long, Long> lookups,
      long flushedBytes,
      long tableBytes,
      Function<Shape, Set<Long>> fitting) {
    List<Group> groups =
        shape.rule() == MergeRule.FREE ? whole(shape, lookups) : virtual(shape, lookups);
    earn(terms, shape.rule(), groups, flushedBytes, tableBytes);
    Map<Long, Long> next = new LinkedHashMap<>();
    List<Group> paid = new ArrayList<>();
    for (Group group : groups) {
      long needed = terms.lookupsFor(group.bytes, group.meanTables());
      if (group.claimed) {
        // A running merge uses the group. Its end changes the shape, and the host then asks again.
        next.put(group.id, NEVER);
        continue;
      }
      if (group.lookups >= needed) {
        paid.add(group);
      } else {
        next.put(group.id, needed);
      }
    }
    paid.sort(
        Comparator.<Group>comparingDouble(group -> -group.meanTables())
            .thenComparingLong(group -> group.id));
    if (balance.bytes > 0) {
      removeThoseTooLarge(paid, next, shape, fitting);
    }
    double left = balance.bytes;
    Set<Long> granted = new HashSet<>();
    Set<SegmentFacts> merged = Collections.newSetFromMap(new IdentityHashMap<>());
    for (Group group : paid) {
      if (left > 0) {
        granted.add(group.id);
        // Groups of overlapping tables share members. One merge rewrites them, so they count once.
        left -= group.bytesBeside(merged);
      } else {
        next.put(group.id, group.lookups + lookupsUntilPositive(terms, group, paid.size(), left));
      }
    }
    return new Answer(granted, next);
  }

  /**
   * Removes groups whose merges exceed the transient space. Each is tried again once the shape has
   * changed.
   */
  private static void removeThoseTooLarge(
      List<Group> paid, Map<Long, Long> next, Shape shape, Function<Shape, Set<Long>> fitting) {
    Set<Long> ids = new HashSet<>();
    paid.forEach(group -> ids.add(group.id));
    Set<Long> fit = ids.isEmpty() ? ids : fitting.apply(shape.requesting(ids));
    paid.removeIf(
        group -> {
          if (!fit.contains(group.id)) {
            next.put(group.id, NEVER);
          }
          return !fit.contains(group.id);
        });
  }

  /**
   * Returns the number of further lookups of one group that raise the balance above zero, if each
   * waiting group has as many. When the balance is above zero, at least one group therefore has had
   * that many.
   *
   * @param waiting number of groups that wait, this one included
   * @param left the balance after all granted merges, not above zero
   */
  private static long lookupsUntilPositive(ReadTerms terms, Group group, int waiting, double left) {
    double each = earned(terms, group.meanTables()) * waiting;
    return each <= 0 ? NEVER : (long) Math.max(1, Math.ceil((1 - left) / each));
  }

  private static double earned(ReadTerms terms, double tables) {
    return Math.max(0, tables - 1) * terms.tableBytes() * terms.readThousandths() / Thousandths.ONE;
  }

  private void earn(
      ReadTerms terms, MergeRule rule, List<Group> groups, long flushedBytes, long tableBytes) {
    double more =
        balance.countedFlushed < 0 ? 0 : Math.max(0, flushedBytes - balance.countedFlushed);
    balance.countedFlushed = Math.max(balance.countedFlushed, flushedBytes);
    Map<Long, Long> now = new HashMap<>();
    for (Group group : groups) {
      long lookups = Math.max(0, group.lookups - counted.getOrDefault(group.id, 0L));
      // Under FREE each table that a lookup checks counts that lookup.
      double tables = group.meanTables();
      double times = rule == MergeRule.FREE ? 1 / tables : 1;
      more += lookups * times * earned(terms, tables);
      now.put(group.id, group.lookups);
    }
    counted.clear();
    counted.putAll(now);
    if (more > 0) {
      balance.bytes = Math.min(balance.bytes, (double) MAX_KEPT_TABLES * tableBytes) + more;
    }
  }

  /**
   * Subtracts the bytes that a started merge reads from the balance.
   *
   * @param bytes input bytes of a merge requested by reads
   */
  public void charge(long bytes) {
    synchronized (balance) {
      balance.bytes -= bytes;
    }
  }

  /** Returns the groups of virtual segments that lookups have reached, with their segments. */
  private static List<Group> virtual(Shape shape, Map<Long, Long> lookups) {
    if (lookups.isEmpty()) {
      return List.of();
    }
    Map<Long, Group> groups = new LinkedHashMap<>();
    for (LevelFacts level : shape.levels()) {
      for (RunFacts run : level.runs()) {
        for (SegmentFacts segment : run.segments()) {
          Long met = segment.virtual() ? lookups.get(segment.group()) : null;
          if (met != null) {
            groups.computeIfAbsent(segment.group(), id -> new Group(id, met)).add(segment);
          }
        }
      }
    }
    return List.copyOf(groups.values());
  }

  /**
   * Returns one group for each whole table that lookups have read: the table and those of its level
   * that overlap it.
   */
  private static List<Group> whole(Shape shape, Map<Long, Long> lookups) {
    if (lookups.isEmpty()) {
      return List.of();
    }
    List<Group> groups = new ArrayList<>();
    for (LevelFacts level : shape.levels().subList(1, shape.levels().size())) {
      for (RunFacts run : level.runs()) {
        for (SegmentFacts segment : run.segments()) {
          long id = segment.slices().get(0).slice();
          Long met = lookups.get(id);
          if (met != null) {
            Group group = new Group(id, met);
            level.overlapping(segment.low(), segment.high()).forEach(group::add);
            group.tables = meanDepth(level, segment);
            group.segments = 1;
            groups.add(group);
          }
        }
      }
    }
    return groups;
  }

  /**
   * Returns the mean number of tables of a level that overlap a rank of one of its whole tables,
   * this table included. Adjacent narrow tables count no more than one wide table.
   */
  public static double meanDepth(LevelFacts level, SegmentFacts segment) {
    double covered = 0;
    for (SegmentFacts other : level.overlapping(segment.low(), segment.high())) {
      int low = Math.max(segment.low(), other.low());
      int high = Math.min(segment.high(), other.high());
      covered += high - low + 1.0;
    }
    return covered / (segment.high() - segment.low() + 1.0);
  }
}
