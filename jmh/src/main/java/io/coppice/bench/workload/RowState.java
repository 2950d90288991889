// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.bench.workload;

/** What a reader must find at one place of the table once short-lived rows have expired. */
public enum RowState {
  LIVE,
  DELETED,
  EXPIRED,
  NEVER_WRITTEN
}
