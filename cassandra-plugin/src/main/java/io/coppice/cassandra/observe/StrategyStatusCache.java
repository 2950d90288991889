// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.cassandra.observe;

import io.coppice.cassandra.sstable.SSTableInventory;
import io.coppice.cassandra.sstable.SSTableOutline;
import java.util.List;
import org.apache.cassandra.db.DecoratedKey;

/**
 * A cached view of one strategy instance for operators. A console asks once a second, and thousands
 * of SSTables are expensive to describe, so they are described again only after a change. Called
 * under the monitor of its strategy.
 */
public final class StrategyStatusCache {

  /**
   * Largest age of a view, in seconds: tombstones become droppable as time passes, even if nothing
   * else changes.
   */
  private static final long MAX_SECONDS = 60;

  /** The outlines of the cached view. After a change, the snapshot has another list. */
  private List<SSTableOutline<DecoratedKey>> outlines = List.of();

  private String part = "";
  private long madeSeconds;
  private StrategyStatus status = new StrategyStatus(PlanningSummary.NONE, List.of(), List.of());

  /**
   * Returns the same as {@link StrategyStatus#of}, except that droppable shares may be up to a
   * minute old.
   */
  public StrategyStatus of(
      PlanningSummary summary, SSTableInventory.Snapshot snapshot, String part, long nowSeconds) {
    if (outlines != snapshot.outlines()
        || !this.part.equals(part)
        || nowSeconds < madeSeconds
        || nowSeconds - madeSeconds >= MAX_SECONDS) {
      status = StrategyStatus.of(summary, snapshot, part, nowSeconds);
      outlines = snapshot.outlines();
      this.part = part;
      madeSeconds = nowSeconds;
    }
    return new StrategyStatus(summary, status.runs(), status.segments());
  }
}
