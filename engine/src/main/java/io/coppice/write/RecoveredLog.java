// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.write;

import io.coppice.memtable.Memtable;
import java.util.Map;

/**
 * A durable log of an earlier process with all that it holds, in memory again. It is flushed like a
 * memtable that was sealed just now, and its file is removed then.
 *
 * @param number of its file
 * @param memtables by family; each holder has one reference to each
 * @param lastSequence the last sequence number of it and of all before
 */
public record RecoveredLog(long number, Map<Integer, Memtable> memtables, long lastSequence) {

  /** Copies the map. */
  public RecoveredLog {
    memtables = Map.copyOf(memtables);
  }

  /** Bytes of entries in the memtables. */
  public long usedBytes() {
    long bytes = 0;
    for (Memtable memtable : memtables.values()) {
      bytes += memtable.usedBytes();
    }
    return bytes;
  }

  /** Gives the references up. */
  public void release() {
    for (Memtable memtable : memtables.values()) {
      memtable.release();
    }
  }
}
