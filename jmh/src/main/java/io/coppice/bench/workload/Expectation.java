// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.bench.workload;

/** Expected contents of the table after the load, according to the generator. */
public interface Expectation {

  /** Returns the state of a row after the whole load, once all short-lived rows have expired. */
  RowState state(long partition, int clustering);

  /** Returns the expected value of a row in a new array, or null unless the row is live. */
  byte[] value(long partition, int clustering);
}
