// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.bench.workload;

/** Expected contents of any place of the table, according to the generator. */
public interface Expectation {

  /** State of a row after the whole load, short-lived rows expired. */
  RowState state(long partition, int clustering);

  /** The value to be read, null unless the row is live. A new array each time. */
  byte[] value(long partition, int clustering);
}
