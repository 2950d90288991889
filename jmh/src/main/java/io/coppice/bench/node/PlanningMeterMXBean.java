// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.bench.node;

/**
 * Makes SSTables of one table and asks its strategies for work as Cassandra does, counting the
 * processor time of that alone. Cassandra itself must not ask: the table is created with {@code
 * 'enabled': 'false'}. One caller at a time.
 */
public interface PlanningMeterMXBean {

  /** Object name of the meter in a node. */
  String NAME = "io.coppice.bench:type=PlanningMeter";

  /**
   * Chooses the table, whose columns are {@code pk bigint PRIMARY KEY, v blob}.
   *
   * @param valueBytes of each row; an SSTable that is made has eight rows
   */
  void choose(String keyspace, String table, int valueBytes);

  /** Flushes a run of several adjacent SSTables that cover the whole ring, and sets its level. */
  void makeRun(int tables, int level);

  /**
   * Flushes one SSTable over the whole ring and asks, as after every flush.
   *
   * @param carryOut true to carry out what is planned and to ask again until nothing is; false to
   *     ask once and to let go of the answer
   * @return how often was asked; nanoseconds of processor time of the estimates of remaining tasks,
   *     of the questions for the next task, and of the question that took most
   */
  long[] flush(boolean carryOut);

  /**
   * Asks once and discards the answer, even if nothing has changed. Returns the same figures as
   * {@link #flush}.
   */
  long[] poll();

  /** Returns the number of live SSTables. */
  int getTables();

  /** Returns the largest number of live SSTables whose key ranges share a token. */
  int getMaxOverlap();
}
