// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice;

import io.coppice.compaction.FamilyCompactionStatus;
import io.coppice.policy.LevelFacts;
import io.coppice.policy.RunFacts;
import io.coppice.policy.SegmentFacts;
import io.coppice.policy.SliceFacts;
import io.coppice.policy.observe.CompactionMetricId;
import io.coppice.policy.observe.StrategySnapshot;
import io.coppice.policy.observe.StrategySnapshot.Counter;
import io.coppice.policy.observe.TableMap;
import io.coppice.policy.spec.PolicySpec;
import io.coppice.read.stats.ReadTotals;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;

/**
 * View of one family for JMX clients. Part names are empty, because a store compacts all tables of
 * a family together.
 *
 * @param name store and family
 * @param status compaction status at the instant of the view
 * @param reads totals of the whole store, because lookups are not counted by family
 */
record FamilySnapshotBuilder(
    String name, FamilyCompactionStatus status, FamilyParts family, ReadTotals reads) {

  /** Maximum bytes shown of a key. */
  private static final int SHOWN_KEY_BYTES = 24;

  /**
   * Returns the whole view except single tables. Runs and segments are ordered by level, then
   * newest run first, then by key.
   *
   * @param allowedBytes the option {@code maxTransientSpace}
   * @param freeBytes free disk space; -1 if it is unknown
   * @param openedNanos value of {@link System#nanoTime} when the bean was created
   */
  StrategySnapshot snapshot(
      PolicySpec inForce,
      PolicySpec configured,
      long allowedBytes,
      long freeBytes,
      long openedNanos) {
    List<StrategySnapshot.Run> runs = new ArrayList<>();
    List<StrategySnapshot.Segment> segments = new ArrayList<>();
    List<LevelFacts> levels = status.shape().levels();
    for (int level = 0; level < levels.size(); level++) {
      int place = 0;
      for (RunFacts run : levels.get(level).runs()) {
        if (!run.segments().isEmpty()) {
          runs.add(run(level, place++, run));
          for (SegmentFacts segment : run.segments()) {
            if (segment.slices().size() > 1) {
              segments.add(segment(level, segment));
            }
          }
        }
      }
    }
    long flushed = family.writeState().flushedBytes();
    long merged = family.counts().sums().sum(CompactionMetricId.MERGED_BYTES);
    long backlog = status.backlog().bytes();
    return new StrategySnapshot(
        name,
        inForce.toString(),
        configured.toString(),
        StrategySnapshot.Tunable.of(inForce, configured),
        runs,
        segments,
        counters(openedNanos),
        new StrategySnapshot.Amplification(
            flushed == 0 ? 1 : (double) (flushed + merged) / flushed,
            reads.lookups() == 0 ? 0 : (double) reads.tables() / reads.lookups(),
            flushed,
            merged),
        new StrategySnapshot.Backlog(
            status.backlog().plans(),
            backlog,
            family.counts().sums().throughput().seconds(backlog),
            status.backlog().headroomBytes(),
            allowedBytes,
            family.versions().current().tableBytes(),
            freeBytes),
        family.counts().sums().decisions());
  }

  private List<Counter> counters(long openedNanos) {
    List<Counter> counters = family.counts().sums().counters();
    counters.add(new Counter("Flushes", family.writeState().flushes()));
    counters.add(new Counter("FlushedBytes", family.writeState().flushedBytes()));
    counters.add(new Counter("StoreReads", reads.lookups()));
    counters.add(new Counter("StoreTablesRead", reads.tables()));
    counters.add(new Counter("UptimeMillis", FamilyBean.millisSince(openedNanos)));
    return counters;
  }

  private StrategySnapshot.Run run(int level, int place, RunFacts run) {
    long entries = 0;
    long deletions = 0;
    long claimed = 0;
    for (SegmentFacts segment : run.segments()) {
      for (SliceFacts slice : segment.slices()) {
        entries += slice.entries();
        deletions += slice.tombstones();
        claimed += slice.claimed() ? slice.bytes() : 0;
      }
    }
    List<SegmentFacts> segments = run.segments();
    return new StrategySnapshot.Run(
        "",
        level,
        place,
        segments.size(),
        run.bytes(),
        entries,
        claimed,
        text(segments.get(0).low()),
        text(segments.get(segments.size() - 1).high()),
        0,
        0,
        entries == 0 ? 0 : (double) deletions / entries);
  }

  private StrategySnapshot.Segment segment(int level, SegmentFacts segment) {
    return new StrategySnapshot.Segment(
        "",
        level,
        segment.slices().size(),
        segment.slices().size(),
        segment.bytes(),
        text(segment.low()),
        text(segment.high()));
  }

  private String text(int rank) {
    return text(status.key(rank));
  }

  /**
   * Returns the beginning of a key in readable form: printable UTF-8 as text, otherwise
   * hexadecimal.
   */
  static String text(byte[] key) {
    int shown = Math.min(key.length, SHOWN_KEY_BYTES);
    String rest = shown < key.length ? "…" : "";
    try {
      String text =
          StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(key, 0, shown)).toString();
      if (text.chars().noneMatch(Character::isISOControl)) {
        return text + rest;
      }
    } catch (CharacterCodingException e) {
      // Not text: shown in hexadecimal.
    }
    return "0x" + HexFormat.of().formatHex(key, 0, shown) + rest;
  }

  /**
   * Returns every slice as one place of the map, in the order of {@link #snapshot}, and the running
   * merges.
   */
  TableMap tableMap() {
    Map<Long, Integer> merges = new HashMap<>();
    for (int i = 0; i < status.merges().size(); i++) {
      for (long slice : status.merges().get(i).slices()) {
        merges.put(slice, i);
      }
    }
    List<TableMap.Place> places = new ArrayList<>();
    List<LevelFacts> levels = status.shape().levels();
    for (int level = 0; level < levels.size(); level++) {
      int run = 0;
      for (RunFacts facts : levels.get(level).runs()) {
        for (SegmentFacts segment : facts.segments()) {
          for (SliceFacts slice : segment.slices()) {
            int otherwise = slice.claimed() ? TableMap.CLAIMED : TableMap.FREE;
            int merge = merges.getOrDefault(slice.slice(), otherwise);
            places.add(place(level, run, segment, slice, merge));
          }
        }
        run += facts.segments().isEmpty() ? 0 : 1;
      }
    }
    long now = System.currentTimeMillis();
    return TableMap.of(
        name,
        now,
        TableMap.RANK,
        places,
        status.merges().stream().map(merge -> merge(merge, now)).toList());
  }

  private TableMap.Place place(
      int level, int run, SegmentFacts segment, SliceFacts slice, int merge) {
    double low = status.place(slice.low());
    return new TableMap.Place(
        "",
        level,
        run,
        low,
        Math.max(low, status.place(slice.high())),
        slice.table(),
        slice.bytes(),
        slice.entries(),
        slice.tombstones(),
        slice.entries() == 0 ? 0 : (double) slice.tombstones() / slice.entries(),
        segment.group(),
        segment.parents(),
        merge,
        text(slice.low()),
        text(slice.high()));
  }

  private TableMap.Merge merge(FamilyCompactionStatus.RunningMerge merge, long now) {
    double low = status.place(merge.low());
    double high = Math.max(low, status.place(merge.high()));
    double mark = merge.watermark() == null ? low : status.place(merge.watermark());
    return new TableMap.Merge(
        merge.id(),
        merge.level(),
        low,
        high,
        Math.max(low, Math.min(high, mark)),
        merge.inputBytes(),
        Math.round(merge.inputBytes() * merge.share()),
        now - merge.ageNanos() / 1_000_000,
        merge.code(),
        merge.sentence());
  }
}
