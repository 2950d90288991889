// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.cassandra;

import java.util.List;
import org.apache.cassandra.db.DecoratedKey;

/**
 * What people saw of one strategy instance last. A console asks once a second, and thousands of
 * SSTables are dear to describe, so they are described again only once they have changed. Used
 * under its strategy's monitor.
 */
final class KeptSight {

  /** Deletions become droppable as time goes by, whatever else stays as it is. */
  private static final long MOST_SECONDS = 60;

  /** The drawing that it is of; another object once anything has changed. */
  private List<Outline<DecoratedKey>> outlines = List.of();

  private String part = "";
  private long madeSeconds;
  private Sight sight = new Sight(Outlook.NONE, List.of(), List.of());

  /** As {@link Sight#of}, but that droppable shares may be those of up to a minute ago. */
  Sight of(Outlook outlook, Inventory.Snapshot snapshot, String part, long nowSeconds) {
    if (outlines != snapshot.outlines()
        || !this.part.equals(part)
        || nowSeconds < madeSeconds
        || nowSeconds - madeSeconds >= MOST_SECONDS) {
      sight = Sight.of(outlook, snapshot, part, nowSeconds);
      outlines = snapshot.outlines();
      this.part = part;
      madeSeconds = nowSeconds;
    }
    return new Sight(outlook, sight.runs(), sight.segments());
  }
}
