// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.bench.workload;

/** Expected contents of any place of the table, according to the generator. */
public interface Expectation {

  /** Returns the state of a row after the whole load, with all short-lived rows expired. */
  RowState state(long partition, int clustering);

  /** Returns the expected value of a row in a new array, or null unless the row is live. */
  byte[] value(long partition, int clustering);
}
