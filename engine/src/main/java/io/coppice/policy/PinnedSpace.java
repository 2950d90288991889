// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.policy;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;

/**
 * Bounds the space that tables pin. A table stays on disk until its last slice is gone, so what a
 * merge has taken out of it is freed only then. While all tables together pin more than a share of
 * the bytes in use, the table with the smallest share in use is freed: the segments that hold it
 * are merged in place. The outputs are whole tables, so each such merge leaves fewer slices of
 * partly used tables, and the work ends. Ours; Pebble does the like for its virtual tables.
 */
final class PinnedSpace {

  /** A table as all its slices show it. */
  private static final class Table {
    final long number;
    final long bytes;
    long used;

    Table(TableFacts slice) {
      number = slice.table();
      bytes = slice.tableBytes();
    }

    long number() {
      return number;
    }

    long pinned() {
      return Math.max(0, bytes - used);
    }

    double shareInUse() {
      return (double) used / Math.max(1, bytes);
    }
  }

  private final Layout layout;
  private final MergeLimits limits;
  private final long maxThousandths;

  /**
   * The bound.
   *
   * @param maxThousandths pinned bytes allowed, in thousandths of the bytes in use
   */
  PinnedSpace(Layout layout, MergeLimits limits, long maxThousandths) {
    this.layout = layout;
    this.limits = limits;
    this.maxThousandths = maxThousandths;
  }

  /** The merges until no more is pinned than allowed, the least used table first. */
  Stream<Wish> wishes() {
    if (!layout.adjacent()) {
      return Stream.of();
    }
    Map<Long, Table> tables = tables();
    long live = layout.shape().bytes();
    long pinned = tables.values().stream().mapToLong(Table::pinned).sum();
    long allowed = (long) ((double) live * maxThousandths / PolicyOption.ONE);
    if (pinned <= allowed) {
      return Stream.of();
    }
    List<Table> leastUsedFirst =
        tables.values().stream()
            .filter(table -> table.pinned() > 0)
            .sorted(Comparator.comparingDouble(Table::shareInUse).thenComparing(Table::number))
            .toList();
    List<Wish> wishes = new ArrayList<>();
    Set<SegmentFacts> taken = new HashSet<>();
    long excess = pinned - allowed;
    for (Table table : leastUsedFirst) {
      if (excess <= 0) {
        break;
      }
      free(table, pinned, live, taken, wishes);
      excess -= table.pinned();
    }
    return wishes.stream();
  }

  private void free(
      Table table, long pinned, long live, Set<SegmentFacts> taken, List<Wish> wishes) {
    Reason reason =
        Reason.of(
            "pinned-space",
            "tables pin {pinned} bytes beside {live} in use, table {table} is used least",
            "pinned",
            pinned,
            "live",
            live,
            "table",
            table.number);
    for (Layout.PlacedRun run : layout.runs()) {
      for (Stretch stretch :
          Stretch.of(run, segment -> holds(segment, table) && !taken.contains(segment))) {
        taken.addAll(stretch.segments());
        wishes.add(stretch.merge(layout, reason, limits));
      }
    }
  }

  private static boolean holds(SegmentFacts segment, Table table) {
    return segment.slices().stream().anyMatch(slice -> slice.table() == table.number);
  }

  /** The tables of which some slice shows a part only. */
  private Map<Long, Table> tables() {
    Map<Long, Table> tables = new HashMap<>();
    for (Layout.PlacedRun run : layout.runs()) {
      List<SegmentFacts> segments = run.facts().segments();
      for (int i = 0; run.facts().hasParts() && i < segments.size(); i++) {
        if (!run.facts().hasParts(i)) {
          continue;
        }
        for (TableFacts slice : segments.get(i).slices()) {
          if (slice.bytes() < slice.tableBytes()) {
            tables.computeIfAbsent(slice.table(), number -> new Table(slice)).used += slice.bytes();
          }
        }
      }
    }
    return tables;
  }
}
