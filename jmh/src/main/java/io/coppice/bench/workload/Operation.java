// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.bench.workload;

/**
 * One statement of the load.
 *
 * @param index position in the load, from 0; also decides the write timestamp
 * @param clustering of the row; 0 for a whole partition
 */
public record Operation(long index, Kind kind, long partition, int clustering) {

  /** Effect of a statement on its row or partition. */
  public enum Kind {
    /** Inserts a row that never existed. */
    INSERT,
    /** Writes a new value to a live row. */
    OVERWRITE,
    DELETE_ROW,
    DELETE_PARTITION,
    /** A row that is gone before anything is checked. */
    TTL_SHORT,
    /** A row that outlives the run. */
    TTL_LONG;

    /** Returns whether the statement carries a value. */
    public boolean writes() {
      return this != DELETE_ROW && this != DELETE_PARTITION;
    }
  }

  /** Write timestamps lie in the past of any clock, one microsecond apart. */
  private static final long FIRST_TIMESTAMP_MICROS = 1_700_000_000_000_000L;

  /** Returns the timestamp that the statement carries. */
  public long timestampMicros() {
    return FIRST_TIMESTAMP_MICROS + index;
  }
}
