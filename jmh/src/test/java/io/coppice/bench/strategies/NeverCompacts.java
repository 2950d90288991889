// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.bench.strategies;

import java.util.Map;
import org.apache.cassandra.db.ColumnFamilyStore;
import org.apache.cassandra.db.compaction.AbstractCompactionTask;
import org.apache.cassandra.db.compaction.SizeTieredCompactionStrategy;

/** Has a write amplification of one, because it leaves every flush as it is. */
public class NeverCompacts extends SizeTieredCompactionStrategy {

  /** Found by Cassandra by reflection. */
  public NeverCompacts(ColumnFamilyStore table, Map<String, String> options) {
    super(table, options);
  }

  @Override
  public AbstractCompactionTask getNextBackgroundTask(long gcBefore) {
    return null;
  }
}
