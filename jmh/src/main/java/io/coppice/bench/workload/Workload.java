// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.bench.workload;

import io.coppice.bench.workload.Operation.Kind;
import java.util.Comparator;
import java.util.function.LongUnaryOperator;
import java.util.stream.LongStream;

/**
 * Generator of the load, statement by statement, and of the model of its result.
 *
 * <p>The load begins with new rows in token order. The <em>mix</em> follows: overwrites of
 * uniformly drawn live rows, deletes of rows and partitions, rows with a short and a long time to
 * live, and new rows at random tokens. Over the whole load at least half of the statements are
 * overwrites, and deletes and rows with a time to live are at least a twentieth each. Used by one
 * thread.
 */
public final class Workload {

  /** Time to live of a short-lived row in seconds; it has expired one second later at most. */
  public static final int SHORT_TTL_SECONDS = 1;

  /** Time to live of a long-lived row in seconds: 30 days. */
  public static final int LONG_TTL_SECONDS = 30 * 24 * 3600;

  /** Number of the first partition that the load never writes; larger numbers are unwritten too. */
  public static final long NEVER_WRITTEN = 1L << 40;

  /**
   * Number of attempts to draw a live row, after which a dead one is taken; at most a third of the
   * rows is dead.
   */
  private static final int DRAWS = 64;

  // Shares of the mix, summed up, in thousandths; what remains are new rows. The mix is at least 90
  // %
  // of a load of 40 flushes or more.
  private static final int OVERWRITES = 560;
  private static final int ROW_DELETES = OVERWRITES + 53;
  private static final int PARTITION_DELETES = ROW_DELETES + 7;
  private static final int SHORT_TTLS = PARTITION_DELETES + 32;
  private static final int LONG_TTLS = SHORT_TTLS + 28;

  private final long seed;
  private final LoadShape shape;
  private final RowModel model;
  private final long[] tokenOrder;
  private long next;

  /**
   * Creates a load before its first statement.
   *
   * @param tokens returns the token of a partition
   */
  public Workload(long seed, LoadShape shape, LongUnaryOperator tokens) {
    this.seed = seed;
    this.shape = shape;
    this.model = new RowModel(seed, shape);
    long partitions =
        (shape.bulkOperations() + LoadShape.ROWS_PER_PARTITION - 1) / LoadShape.ROWS_PER_PARTITION;
    record Placed(long token, long partition) {}
    this.tokenOrder =
        LongStream.range(0, partitions)
            .mapToObj(partition -> new Placed(tokens.applyAsLong(partition), partition))
            .sorted(Comparator.comparingLong(Placed::token).thenComparingLong(Placed::partition))
            .mapToLong(Placed::partition)
            .toArray();
  }

  /** Returns whether statements remain. */
  public boolean hasNext() {
    return next < shape.operations();
  }

  /** Returns the next statement and applies it to the model; called only while one remains. */
  public Operation next() {
    long index = next++;
    Operation operation = index < shape.bulkOperations() ? bulk(index) : mixed(index);
    model.apply(operation);
    return operation;
  }

  private Operation bulk(long index) {
    long partition = tokenOrder[(int) (index / LoadShape.ROWS_PER_PARTITION)];
    int clustering = (int) (index % LoadShape.ROWS_PER_PARTITION);
    return new Operation(index, Kind.INSERT, partition, clustering);
  }

  private Operation mixed(long index) {
    int draw = (int) Mix.below(1000, seed, index);
    if (draw < OVERWRITES) {
      return onLiveRow(index, Kind.OVERWRITE);
    }
    if (draw < ROW_DELETES) {
      return onLiveRow(index, Kind.DELETE_ROW);
    }
    if (draw < PARTITION_DELETES) {
      Operation row = onLiveRow(index, Kind.DELETE_PARTITION);
      return new Operation(index, row.kind(), row.partition(), 0);
    }
    if (draw < SHORT_TTLS) {
      return at(index, Kind.TTL_SHORT, drawRow(index, 0));
    }
    if (draw < LONG_TTLS) {
      return at(index, Kind.TTL_LONG, drawRow(index, 0));
    }
    return at(index, Kind.INSERT, model.rows());
  }

  private Operation onLiveRow(long index, Kind kind) {
    for (int draw = 0; draw < DRAWS; draw++) {
      int row = drawRow(index, draw);
      if (model.isLive(row)) {
        return at(index, kind, row);
      }
    }
    return at(index, kind, drawRow(index, 0));
  }

  private int drawRow(long index, int draw) {
    return (int) Mix.below(model.rows(), Mix.of(seed + 2, index), draw);
  }

  private static Operation at(long index, Kind kind, int row) {
    return new Operation(
        index, kind, row / LoadShape.ROWS_PER_PARTITION, row % LoadShape.ROWS_PER_PARTITION);
  }

  /** Returns the value that a statement writes, in a new array that belongs to the caller. */
  public byte[] value(Operation operation) {
    return model.value(operation);
  }

  /** Returns the expected contents after the statements issued to date; later ones change it. */
  public Expectation expectation() {
    return model;
  }

  /** Returns the end (exclusive) of the written partitions, which begin at 0. */
  public long partitions() {
    return (model.rows() + LoadShape.ROWS_PER_PARTITION - 1L) / LoadShape.ROWS_PER_PARTITION;
  }

  /** Returns the number of live rows after the statements issued to date. */
  public long liveRows() {
    return model.liveRows();
  }

  /** Returns the bytes of keys and values of the live rows. */
  public long liveBytes() {
    return model.liveBytes();
  }
}
