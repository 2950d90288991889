// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.cassandra.sstable;

import org.apache.cassandra.io.sstable.format.SSTableReader;
import org.apache.cassandra.utils.TimeUUID;

/**
 * The repair state that SSTables must share to be merged with each other. Merging different states
 * would mark unrepaired data as repaired, or keep a finished repair from claiming the SSTables that
 * it repaired.
 *
 * @param repaired whether a repair of the SSTable has finished
 * @param pending the id of the repair that runs for the SSTable, or null
 * @param isTransient whether the SSTable belongs to a transient replica
 */
public record RepairState(boolean repaired, TimeUUID pending, boolean isTransient) {

  /** Returns the present state of an SSTable, which a repair may change at any time. */
  public static RepairState of(SSTableReader sstable) {
    return new RepairState(sstable.isRepaired(), sstable.getPendingRepair(), sstable.isTransient());
  }
}
