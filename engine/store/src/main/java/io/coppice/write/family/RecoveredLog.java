// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.write.family;

import io.coppice.memtable.Memtable;
import java.util.Map;

/**
 * Durable log of an earlier process whose entries are in memory again. The flusher treats it like a
 * log whose memtables were just sealed, and deletes its file after the flush.
 *
 * @param number number of the log's file
 * @param memtables memtables by family number; the record owns one reference to each
 * @param lastSequence the last sequence number of this and all earlier logs
 */
public record RecoveredLog(long number, Map<Integer, Memtable> memtables, long lastSequence) {

  /** Creates a value with a copy of the map. */
  public RecoveredLog {
    memtables = Map.copyOf(memtables);
  }

  /** Returns the bytes of memory that entries take in the memtables. */
  public long usedBytes() {
    long bytes = 0;
    for (Memtable memtable : memtables.values()) {
      bytes += memtable.usedBytes();
    }
    return bytes;
  }

  /** Releases the references to the memtables. */
  public void release() {
    for (Memtable memtable : memtables.values()) {
      memtable.release();
    }
  }
}
