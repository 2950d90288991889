// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.bench.node;

/**
 * Bean that makes SSTables of one table and asks the table's strategies for work as Cassandra does.
 * It measures the processor time of these requests alone. Cassandra itself must not ask, so the
 * table is created with {@code 'enabled': 'false'}. Called by one thread at a time.
 */
public interface PlanningMeterMXBean {

  /** Object name of the meter in a node. */
  String NAME = "io.coppice.bench:type=PlanningMeter";

  /**
   * Chooses the table of all later calls, whose columns are {@code pk bigint PRIMARY KEY, v blob}.
   *
   * @param valueBytes length of the value in each row; each SSTable gets eight rows
   */
  void choose(String keyspace, String table, int valueBytes);

  /**
   * Flushes SSTables that are adjacent and together cover the whole ring, and sets their level.
   * Returns once they are live.
   *
   * @param tables number of SSTables
   */
  void makeRun(int tables, int level);

  /**
   * Flushes one SSTable over the whole ring and asks for work, as Cassandra does after a flush.
   *
   * @param carryOut whether to carry out each task and to ask again until there is none; if not,
   *     asks once and discards the task
   * @return four numbers: how many times it asked; nanoseconds of processor time of all estimates,
   *     of all requests for the next task, and of the most expensive request
   */
  long[] flush(boolean carryOut);

  /**
   * Asks for work once and discards the task, as Cassandra does periodically without a change.
   * Returns the same numbers as {@link #flush}.
   */
  long[] poll();

  /** Returns the number of live SSTables. */
  int getTables();

  /** Returns the largest number of live SSTables whose key ranges share a token. */
  int getMaxOverlap();
}
