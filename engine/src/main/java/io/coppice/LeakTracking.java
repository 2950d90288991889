// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice;

/** Of which cursors and snapshots the place is remembered where they were opened. */
public enum LeakTracking {
  /** Of none: a forgotten one is reported with its age only. */
  OFF,
  /** Of one in 128, beginning with the first; what is forgotten again and again is found so. */
  SAMPLED,
  /** Of all: some microseconds for each. */
  ALL
}
