// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.cassandra.observe;

import io.coppice.cassandra.merge.MergeProgress;
import io.coppice.cassandra.sstable.SSTableInventory;
import io.coppice.cassandra.sstable.SSTableOutline;
import io.coppice.cassandra.sstable.ShapeBuilder;
import io.coppice.cassandra.sstable.SteppedMerge;
import io.coppice.policy.observe.TableMap;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.apache.cassandra.db.ColumnFamilyStore;
import org.apache.cassandra.db.DecoratedKey;
import org.apache.cassandra.db.compaction.CompactionInfo;
import org.apache.cassandra.db.compaction.CompactionManager;
import org.apache.cassandra.dht.Token;
import org.apache.cassandra.io.sstable.format.SSTableReader;
import org.apache.cassandra.utils.Clock;

/**
 * Builder of the {@link TableMap} of one table, with its SSTables and the running compactions that
 * read them. The strategy instances of the table add their SSTables one after another. Used once,
 * by one thread.
 */
public final class TableMapBuilder {

  private final ColumnFamilyStore table;
  private final long nowSeconds;
  private final List<TableMap.Place> places = new ArrayList<>();
  private final List<TableMap.Merge> merges = new ArrayList<>();
  private final Map<SSTableReader, Integer> mergeOf = new HashMap<>();
  private final Set<String> parts = new HashSet<>();
  private long lastGroup;

  /**
   * Virtual segment in a table map.
   *
   * @param number identity, valid within this map only
   * @param members number of its SSTables
   */
  private record Group(long number, int members) {
    static final Group NONE = new Group(0, 0);
  }

  TableMapBuilder(ColumnFamilyStore table) {
    this.table = table;
    this.nowSeconds = Clock.Global.currentTimeMillis() / 1000;
    for (CompactionInfo.Holder holder : CompactionManager.instance.active.getCompactions()) {
      CompactionInfo info = holder.getCompactionInfo();
      boolean shown =
          info.getTableMetadata() != null
              && info.getTableMetadata().id.equals(table.metadata.id)
              && info.getUnit() == CompactionInfo.Unit.BYTES
              && !info.getSSTables().isEmpty();
      if (shown) {
        info.getSSTables().forEach(sstable -> mergeOf.put(sstable, merges.size()));
        merges.add(merge(info, holder instanceof MergeProgress ? "merge" : "compaction"));
      }
    }
  }

  private TableMap.Merge merge(CompactionInfo info, String code) {
    double low = 1;
    double high = 0;
    for (SSTableReader sstable : info.getSSTables()) {
      low = Math.min(low, place(sstable.getFirst()));
      high = Math.max(high, place(sstable.getLast()));
    }
    double share = info.getTotal() == 0 ? 0 : (double) info.getCompleted() / info.getTotal();
    return new TableMap.Merge(
        info.getTaskId() == null ? "" : info.getTaskId().toString(),
        SSTableInventory.deepest(info.getSSTables()),
        low,
        Math.max(low, high),
        low + Math.min(1, share) * Math.max(0, high - low),
        info.getTotal(),
        info.getCompleted(),
        info.getTaskId() == null ? 0 : info.getTaskId().unix(TimeUnit.MILLISECONDS),
        code,
        info.getTaskType().toString());
  }

  /** Returns the position of a key on the ring, from 0 to 1; 0.5 if tokens have no distances. */
  private static double place(DecoratedKey key) {
    Token token = key.getToken();
    try {
      return token.getPartitioner().getMinimumToken().size(token);
    } catch (UnsupportedOperationException e) {
      return 0.5;
    }
  }

  /**
   * Adds the SSTables of one strategy instance.
   *
   * @param ongoing its ongoing merges
   * @param delays whether its policy delays merges. If so, overlapping SSTables below level 0 form
   *     a virtual segment; otherwise they are runs
   */
  public void add(SSTableInventory.Snapshot snapshot, List<SteppedMerge> ongoing, boolean delays) {
    name(ongoing);
    if (snapshot.readers().isEmpty()) {
      return;
    }
    Set<SSTableReader> held = new HashSet<>();
    ongoing.forEach(merge -> held.addAll(merge.members()));
    String part = StrategyStatus.part(snapshot, table.getDirectories(), parts);
    snapshot
        .byLevel()
        .forEach(
            (level, outlines) -> {
              Map<Long, Group> groups = delays && level > 0 ? groups(outlines) : Map.of();
              List<List<SSTableOutline<DecoratedKey>>> coloured = ShapeBuilder.colour(outlines);
              for (int run = 0; run < coloured.size(); run++) {
                for (SSTableOutline<DecoratedKey> outline : coloured.get(run)) {
                  Group group = groups.getOrDefault(outline.id(), Group.NONE);
                  places.add(
                      place(part, run, outline, group, snapshot.readers().get(outline.id())));
                }
              }
            });
  }

  /** Returns the virtual segments of one level by the ids of their members. */
  private Map<Long, Group> groups(List<SSTableOutline<DecoratedKey>> outlines) {
    Map<Long, Group> groups = new HashMap<>();
    for (List<SSTableOutline<DecoratedKey>> members : StrategyStatus.together(outlines)) {
      Group group = new Group(++lastGroup, members.size());
      members.forEach(member -> groups.put(member.id(), group));
    }
    return groups;
  }

  private TableMap.Place place(
      String part,
      int run,
      SSTableOutline<DecoratedKey> outline,
      Group group,
      SSTableReader reader) {
    int otherwise = outline.claimed() ? TableMap.CLAIMED : TableMap.FREE;
    double low = place(outline.first());
    return new TableMap.Place(
        part,
        outline.level(),
        run,
        low,
        Math.max(low, place(outline.last())),
        // Ids of SSTables may be texts; the numbers here only have to differ within one map.
        places.size() + 1L,
        outline.bytes(),
        outline.entries(),
        outline.tombstones(),
        reader.getEstimatedDroppableTombstoneRatio(nowSeconds),
        group.number,
        group.members,
        mergeOf.getOrDefault(reader, otherwise),
        outline.first().getToken().toString(),
        outline.last().getToken().toString());
  }

  /** Adds level and reason to those running compactions that are merges of this strategy. */
  private void name(List<SteppedMerge> ongoing) {
    for (SteppedMerge merge : ongoing) {
      for (int i = 0; i < merges.size(); i++) {
        TableMap.Merge shown = merges.get(i);
        if (shown.id().equals(merge.id().toString())) {
          merges.set(
              i,
              new TableMap.Merge(
                  shown.id(),
                  merge.spec().level(),
                  shown.low(),
                  shown.high(),
                  shown.watermark(),
                  shown.inputBytes(),
                  shown.doneBytes(),
                  shown.startedMillis(),
                  shown.code(),
                  merge.spec().reason()));
        }
      }
    }
  }

  /**
   * Returns the map of all SSTables added before this call, with the time of this call.
   *
   * @param name name of the table in the map
   */
  TableMap map(String name) {
    return TableMap.of(name, Clock.Global.currentTimeMillis(), TableMap.TOKEN, places, merges);
  }
}
