// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.bench.workload;

import java.util.Arrays;

/**
 * Model of the table: four bytes for each row, with its last operation and its state. Values are
 * computed again from seed, row and operation. Used by one thread.
 */
final class RowModel implements Expectation {

  /** Largest number of operations, because an operation shares an int with two bits of state. */
  private static final long MAX_OPERATIONS = 1L << 29;

  private static final RowState[] STATES = {RowState.LIVE, RowState.DELETED, RowState.EXPIRED};
  private static final int NONE = -1;

  private final long seed;
  private final int valueBytes;
  private int[] rows;
  private int rowCount;
  private long liveRows;
  private long liveBytes;

  RowModel(long seed, LoadShape shape) {
    if (shape.operations() > MAX_OPERATIONS) {
      throw new IllegalArgumentException(
          "operations (%d) must be at most %d".formatted(shape.operations(), MAX_OPERATIONS));
    }
    this.seed = seed;
    this.valueBytes = shape.valueBytes();
    this.rows = new int[(int) Math.max(16, shape.bulkOperations())];
    Arrays.fill(rows, NONE);
  }

  /**
   * Returns the number of rows ever written, deleted and expired ones included; row numbers have no
   * gap.
   */
  int rows() {
    return rowCount;
  }

  long liveRows() {
    return liveRows;
  }

  /** Returns the bytes of keys and values of the live rows. */
  long liveBytes() {
    return liveBytes;
  }

  boolean isLive(int row) {
    return state(row) == RowState.LIVE;
  }

  void apply(Operation operation) {
    int row = row(operation.partition(), operation.clustering());
    switch (operation.kind()) {
      case INSERT, OVERWRITE, TTL_LONG -> set(row, operation.index(), RowState.LIVE);
      case TTL_SHORT -> set(row, operation.index(), RowState.EXPIRED);
      case DELETE_ROW -> set(row, operation.index(), RowState.DELETED);
      case DELETE_PARTITION -> {
        for (int i = 0; i < LoadShape.ROWS_PER_PARTITION && row + i < rowCount; i++) {
          set(row + i, operation.index(), RowState.DELETED);
        }
      }
    }
  }

  private void set(int row, long operation, RowState state) {
    if (row >= rows.length) {
      int old = rows.length;
      rows = Arrays.copyOf(rows, Math.max(row + 1, old + old / 2));
      Arrays.fill(rows, old, rows.length, NONE);
    }
    if (row < rowCount && isLive(row)) {
      liveRows--;
      liveBytes -= bytes(row);
    }
    rowCount = Math.max(rowCount, row + 1);
    rows[row] = (int) operation << 2 | state.ordinal();
    if (state == RowState.LIVE) {
      liveRows++;
      liveBytes += bytes(row);
    }
  }

  private long bytes(int row) {
    return Long.BYTES + Integer.BYTES + valueLength(rows[row] >> 2);
  }

  @Override
  public RowState state(long partition, int clustering) {
    long row = partition * LoadShape.ROWS_PER_PARTITION + clustering;
    boolean outside =
        clustering < 0 || clustering >= LoadShape.ROWS_PER_PARTITION || row < 0 || row >= rowCount;
    return outside ? RowState.NEVER_WRITTEN : state((int) row);
  }

  private RowState state(int row) {
    return rows[row] == NONE ? RowState.NEVER_WRITTEN : STATES[rows[row] & 3];
  }

  @Override
  public byte[] value(long partition, int clustering) {
    if (state(partition, clustering) != RowState.LIVE) {
      return null;
    }
    int row = row(partition, clustering);
    return bytesOf(row, rows[row] >> 2);
  }

  /** Returns the value that an operation writes to its row. */
  byte[] value(Operation operation) {
    return bytesOf(row(operation.partition(), operation.clustering()), operation.index());
  }

  private byte[] bytesOf(int row, long operation) {
    byte[] value = new byte[valueLength(operation)];
    long key = Mix.of(seed ^ row, operation);
    for (int i = 0; i < value.length; i += Long.BYTES) {
      long word = Mix.of(key, i);
      for (int b = i; b < Math.min(value.length, i + Long.BYTES); b++) {
        value[b] = (byte) word;
        word >>>= 8;
      }
    }
    return value;
  }

  private int valueLength(long operation) {
    int quarter = valueBytes / 4;
    return valueBytes - quarter + (int) Mix.below(2L * quarter + 1, seed + 1, operation);
  }

  private static int row(long partition, int clustering) {
    return Math.toIntExact(partition * LoadShape.ROWS_PER_PARTITION + clustering);
  }
}
