// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.bench.workload;

/** State that a reader must find at one place of the table after short-lived rows have expired. */
public enum RowState {
  LIVE,
  DELETED,
  EXPIRED,
  NEVER_WRITTEN
}
