// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.cassandra;

import io.coppice.cassandra.merge.OutputShards;
import io.coppice.cassandra.sstable.Placement;
import io.coppice.cassandra.sstable.SSTableOutline;
import io.coppice.cassandra.sstable.ShapeBuilder;
import io.coppice.policy.Backlog;
import io.coppice.policy.Budget;
import io.coppice.policy.Plan;
import io.coppice.policy.Policy;
import io.coppice.policy.Shape;
import io.coppice.policy.step.TokenShards;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;

/**
 * Estimate of the compaction left until a table rests, if no more data is written.
 *
 * <p>The estimate asks the policy for one plan after the other and carries out each of them on
 * {@link SSTableOutline}s alone. The backlog of a policy covers only the merges that are due now;
 * the estimate includes the merges that the outputs of those will cause.
 *
 * <p>Keys are positions on the token ring, from 0 to 1. The bytes of an SSTable are assumed to be
 * evenly distributed between its ends, and outputs end where {@link OutputShards} would end them.
 * Used once, by one thread.
 */
final class BacklogEstimator {

  // Bounds the time: each outline makes a plan more expensive. After the last plan, the estimate
  // adds the policy's own backlog.
  private static final int MAX_OUTLINES_TIMES_PLANS = 40_000;
  private static final int MIN_PLANS = 8;
  private static final int MAX_PLANS = 500;

  private final Policy policy;
  private final Placement placement;
  private final long flushBytes;
  private final double kept;
  private final Map<Long, SSTableOutline<Double>> tables = new LinkedHashMap<>();
  private final Set<Long> requests;
  private long lastId;

  /**
   * The shape for the next request to the policy; null until it is built from the present outlines.
   */
  private Shape drawn;

  private long bytes;

  /**
   * Starts with the current SSTables of a table.
   *
   * @param tables the SSTables; running compactions count as if they had not begun
   * @param requests the ids of SSTables whose merge was requested by reads
   * @param flushBytes the mean size of a flush in bytes on disk, 0 if unknown
   * @param kept the share of their input that merges write, above 0 and at most 1
   */
  BacklogEstimator(
      Policy policy,
      Placement placement,
      List<SSTableOutline<Double>> tables,
      Set<Long> requests,
      long flushBytes,
      double kept) {
    this.policy = policy;
    this.placement = placement;
    this.flushBytes = flushBytes;
    this.kept = kept;
    this.requests = new HashSet<>(requests);
    for (SSTableOutline<Double> table : tables) {
      put(table);
    }
  }

  private void put(SSTableOutline<Double> table) {
    drawn = null;
    tables.put(table.id(), table);
    lastId = Math.max(lastId, table.id());
  }

  /**
   * Carries out plans, at most 500, until the policy wants none. The policy's own backlog stands
   * for the rest.
   *
   * @return the bytes on disk that merges will read and the number of plans; the headroom is the
   *     policy's current one
   */
  Backlog backlog() {
    long headroom = policy.backlog(shape()).headroomBytes();
    int most = MAX_OUTLINES_TIMES_PLANS / Math.max(1, tables.size());
    most = Math.max(MIN_PLANS, Math.min(MAX_PLANS, most));
    int plans = 0;
    for (; plans < most; plans++) {
      if (!place() && !carryOut(policy.next(shape(), Budget.unlimited()))) {
        return new Backlog(bytes, plans, headroom);
      }
    }
    Backlog rest = policy.backlog(shape());
    return new Backlog(bytes + rest.bytes(), plans + rest.plans(), headroom);
  }

  private Shape shape() {
    if (drawn == null) {
      requests.retainAll(tables.keySet());
      drawn = ShapeBuilder.draw(List.copyOf(tables.values()), List.of(), requests);
    }
    return drawn;
  }

  private boolean place() {
    TreeMap<Integer, List<Long>> moves =
        placement.moves(
            List.copyOf(tables.values()),
            (first, last) -> Math.max(Double.MIN_NORMAL, last - first),
            flushBytes);
    moves.forEach((level, ids) -> move(ids, level));
    return !moves.isEmpty();
  }

  private void move(List<Long> ids, int level) {
    for (long id : ids) {
      SSTableOutline<Double> at = tables.get(id);
      put(at.moved(at.first(), at.last(), level));
    }
  }

  private boolean carryOut(Optional<Plan> plan) {
    if (plan.isEmpty() || !(plan.get() instanceof Plan.Placing placing)) {
      return false;
    }
    int level = placing.target().level();
    if (placing instanceof Plan.Merge merge) {
      merge(merge.slices(), level);
    } else {
      move(placing.slices(), level);
    }
    return true;
  }

  private void merge(List<Long> ids, int level) {
    List<SSTableOutline<Double>> inputs = new ArrayList<>();
    for (long id : ids) {
      drawn = null;
      SSTableOutline<Double> input = tables.remove(id);
      inputs.add(input);
      bytes += input.bytes();
    }
    Spread spread = new Spread(inputs, kept);
    double begin = spread.first();
    boolean joins = inputs.size() > 1 && ShapeBuilder.colour(inputs).size() == 1;
    double least = placement.tableBytes() * TokenShards.minOutputTables(joins);
    for (double end : spread.bounds(placement.tableBytes())) {
      while (spread.bytes(begin, end) > placement.tableBytes() * TokenShards.MAX_OUTPUT_TABLES) {
        double cut = spread.after(begin, placement.tableBytes());
        if (cut >= end) {
          break;
        }
        put(spread, begin, cut, level);
        begin = cut;
      }
      boolean ends = end >= spread.last();
      if (ends || spread.bytes(begin, end) > least) {
        put(spread, begin, end, level);
        begin = end;
      }
    }
  }

  private void put(Spread spread, double begin, double end, int level) {
    double last = end >= spread.last() ? spread.last() : Math.nextDown(end);
    long share = Math.round(spread.bytes(begin, end));
    if (share > 0 && begin <= last) {
      put(
          new SSTableOutline<>(
              lastId + 1,
              begin,
              last,
              level,
              share,
              Math.round(share * spread.entriesPerByte),
              Math.round(share * spread.tombstonesPerByte),
              false,
              Math.round(share * spread.hiddenPerByte)));
    }
  }

  /** Estimated distribution of the output bytes of a merge over the keys, as a cumulative sum. */
  private static final class Spread {

    private final double[] keys;
    private final double[] sums;
    private final double entriesPerByte;
    private final double tombstonesPerByte;
    private final double hiddenPerByte;

    Spread(List<SSTableOutline<Double>> inputs, double kept) {
      TreeMap<Double, Double> slopes = new TreeMap<>();
      double bytes = 0;
      double entries = 0;
      double tombstones = 0;
      double hidden = 0;
      for (SSTableOutline<Double> input : inputs) {
        // An input with a single key extends to the next floating-point number.
        double last = Math.max(input.last(), Math.nextUp(input.first()));
        double slope = input.bytes() * kept / (last - input.first());
        slopes.merge(input.first(), slope, Double::sum);
        slopes.merge(last, -slope, Double::sum);
        bytes += input.bytes();
        entries += input.entries();
        tombstones += input.tombstones();
        hidden += input.hidden();
      }
      entriesPerByte = entries / Math.max(1, bytes);
      tombstonesPerByte = tombstones / Math.max(1, bytes);
      hiddenPerByte = hidden / Math.max(1, bytes);
      keys = slopes.keySet().stream().mapToDouble(key -> key).toArray();
      sums = new double[keys.length];
      double slope = 0;
      for (int i = 0; i < keys.length; i++) {
        sums[i] = i == 0 ? 0 : sums[i - 1] + slope * (keys[i] - keys[i - 1]);
        slope = Math.max(0, slope + slopes.get(keys[i]));
      }
    }

    double first() {
      return keys[0];
    }

    double last() {
      return keys[keys.length - 1];
    }

    double bytes(double begin, double end) {
      return sum(end) - sum(begin);
    }

    private double sum(double key) {
      int at = Arrays.binarySearch(keys, key);
      if (at >= 0) {
        return sums[at];
      }
      int next = -at - 1;
      if (next == 0 || next == keys.length) {
        return next == 0 ? 0 : sums[next - 1];
      }
      double share = (key - keys[next - 1]) / (keys[next] - keys[next - 1]);
      return sums[next - 1] + share * (sums[next] - sums[next - 1]);
    }

    /**
     * Returns the end of the key range that begins at a key and contains {@code wanted} output
     * bytes.
     */
    double after(double begin, double wanted) {
      double sum = sum(begin) + wanted;
      int at = Arrays.binarySearch(sums, sum);
      int next = at < 0 ? -at - 1 : at;
      if (next == 0 || next == keys.length) {
        return last();
      }
      double share = (sum - sums[next - 1]) / Math.max(1, sums[next] - sums[next - 1]);
      double key = keys[next - 1] + share * (keys[next] - keys[next - 1]);
      return Math.max(Math.nextUp(begin), key);
    }

    /**
     * Returns the keys where outputs end: the bounds of {@link OutputShards} between the ends of
     * the inputs, then the last key.
     */
    List<Double> bounds(long tableBytes) {
      double first = first();
      double last = last();
      double whole = bytes(first, last) / Math.max(Double.MIN_NORMAL, Math.min(1, last - first));
      int shards = TokenShards.countForOutputs(whole, tableBytes);
      List<Double> bounds = new ArrayList<>();
      for (long shard = (long) Math.floor(first * shards) + 1; shard < last * shards; shard++) {
        bounds.add((double) shard / shards);
      }
      bounds.add(last);
      return bounds;
    }
  }
}
