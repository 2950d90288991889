// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.cassandra;

import org.apache.cassandra.io.sstable.format.SSTableReader;
import org.apache.cassandra.utils.TimeUUID;

/**
 * What SSTables must have in common to be merged with each other: else a merge would make repaired
 * what is not, or keep a finished repair from claiming what it repaired.
 *
 * @param repaired whether a repair has finished
 * @param pending the repair under way, or null
 * @param isTransient whether it is a transient replica's
 */
record RepairState(boolean repaired, TimeUUID pending, boolean isTransient) {

  static RepairState of(SSTableReader sstable) {
    return new RepairState(sstable.isRepaired(), sstable.getPendingRepair(), sstable.isTransient());
  }
}
