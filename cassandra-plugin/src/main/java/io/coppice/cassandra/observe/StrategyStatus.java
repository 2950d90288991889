// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.cassandra.observe;

import io.coppice.cassandra.sstable.Placement;
import io.coppice.cassandra.sstable.SSTableInventory;
import io.coppice.cassandra.sstable.SSTableOutline;
import io.coppice.cassandra.sstable.ShapeBuilder;
import io.coppice.policy.observe.StrategySnapshot.Run;
import io.coppice.policy.observe.StrategySnapshot.Segment;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.cassandra.db.DecoratedKey;
import org.apache.cassandra.db.Directories;
import org.apache.cassandra.io.sstable.format.SSTableReader;

/**
 * Status of one strategy instance, as operators see it.
 *
 * @param summary the backlog and the runs per level
 * @param runs by level, then in the order of {@link ShapeBuilder#colour}
 * @param segments overlap clusters of two or more SSTables, by level and ascending key
 */
public record StrategyStatus(PlanningSummary summary, List<Run> runs, List<Segment> segments) {

  /**
   * Returns the status of the instance that drew a snapshot.
   *
   * @param part the name of its share, see {@link #part}
   * @param nowSeconds the time in seconds since the epoch, for shares of droppable data
   */
  static StrategyStatus of(
      PlanningSummary summary, SSTableInventory.Snapshot snapshot, String part, long nowSeconds) {
    List<Run> runs = new ArrayList<>();
    List<Segment> segments = new ArrayList<>();
    if (!snapshot.readers().isEmpty()) {
      snapshot
          .byLevel()
          .forEach(
              (level, outlines) -> {
                List<List<SSTableOutline<DecoratedKey>>> coloured = ShapeBuilder.colour(outlines);
                for (int run = 0; run < coloured.size(); run++) {
                  runs.add(
                      run(part, level, run, coloured.get(run), snapshot.readers(), nowSeconds));
                }
                segments.addAll(segments(part, level, outlines));
              });
    }
    return new StrategyStatus(summary, runs, segments);
  }

  /**
   * Returns the name of an instance's share of a table. The share has SSTables of one repair state
   * in one data directory, or in several if files are in a directory that is no longer their own.
   *
   * @param taken names of other instances; the method adds the name of this one, which differs
   * @return empty if the instance has no SSTables
   */
  public static String part(
      SSTableInventory.Snapshot snapshot, Directories directories, Set<String> taken) {
    if (snapshot.readers().isEmpty()) {
      return "";
    }
    SSTableReader any = snapshot.readers().values().iterator().next();
    String state =
        any.isPendingRepair()
            ? "pending " + any.getPendingRepair()
            : any.isRepaired() ? "repaired" : "unrepaired";
    Directories.DataDirectory directory = directories.getDataDirectoryForFile(any.descriptor);
    String name = directory == null ? state : state + " " + directory.location.path();
    String part = name;
    for (int number = 2; !taken.add(part); number++) {
      part = name + " (" + number + ")";
    }
    return part;
  }

  private static Run run(
      String part,
      int level,
      int run,
      List<SSTableOutline<DecoratedKey>> members,
      Map<Long, SSTableReader> readers,
      long nowSeconds) {
    long bytes = 0;
    long entries = 0;
    long claimed = 0;
    long minTimestamp = Long.MAX_VALUE;
    long maxTimestamp = Long.MIN_VALUE;
    double droppable = 0;
    for (SSTableOutline<DecoratedKey> member : members) {
      SSTableReader reader = readers.get(member.id());
      bytes += member.bytes();
      entries += member.entries();
      claimed += member.claimed() ? member.bytes() : 0;
      minTimestamp = Math.min(minTimestamp, reader.getMinTimestamp());
      maxTimestamp = Math.max(maxTimestamp, reader.getMaxTimestamp());
      droppable += reader.getEstimatedDroppableTombstoneRatio(nowSeconds) * member.bytes();
    }
    return new Run(
        part,
        level,
        run,
        members.size(),
        bytes,
        entries,
        claimed,
        token(members.get(0).first()),
        token(members.get(members.size() - 1).last()),
        minTimestamp,
        maxTimestamp,
        bytes == 0 ? 0 : droppable / bytes);
  }

  private static String token(DecoratedKey key) {
    return key.getToken().toString();
  }

  private static List<Segment> segments(
      String part, int level, List<SSTableOutline<DecoratedKey>> outlines) {
    List<Segment> segments = new ArrayList<>();
    for (List<SSTableOutline<DecoratedKey>> members : together(outlines)) {
      segments.add(
          new Segment(
              part,
              level,
              members.size(),
              ShapeBuilder.depth(members),
              members.stream().mapToLong(SSTableOutline::bytes).sum(),
              token(members.get(0).first()),
              token(
                  members.stream()
                      .map(SSTableOutline::last)
                      .max(Comparator.naturalOrder())
                      .get())));
    }
    return segments;
  }

  /** Returns the overlap clusters of one level, of two or more SSTables each, by ascending key. */
  static List<List<SSTableOutline<DecoratedKey>>> together(
      List<SSTableOutline<DecoratedKey>> outlines) {
    return Placement.clusters(outlines).stream().filter(some -> some.size() > 1).toList();
  }
}
