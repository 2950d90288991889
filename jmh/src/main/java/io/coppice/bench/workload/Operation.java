// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.bench.workload;

/**
 * One statement of the load.
 *
 * @param index position in the load, from 0; it also determines the write timestamp
 * @param partition number of the partition
 * @param clustering clustering of the row; 0 for a whole partition
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
    /** Writes a row that expires before anything is checked. */
    TTL_SHORT,
    /** Writes a row whose time to live exceeds the run. */
    TTL_LONG;

    /** Returns whether the statement carries a value. */
    public boolean writes() {
      return this != DELETE_ROW && this != DELETE_PARTITION;
    }
  }

  /**
   * Write timestamp of the first statement, in microseconds since 1970, in the past of any clock.
   * The others follow, one microsecond apart.
   */
  private static final long FIRST_TIMESTAMP_MICROS = 1_700_000_000_000_000L;

  /** Returns the timestamp that the statement carries. */
  public long timestampMicros() {
    return FIRST_TIMESTAMP_MICROS + index;
  }
}
