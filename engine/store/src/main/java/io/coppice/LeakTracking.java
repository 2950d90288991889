// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice;

/** Choice of the cursors and snapshots whose place of opening is recorded. */
public enum LeakTracking {
  /** Record none: a forgotten handle is reported with its age only. */
  OFF,
  /** Record one in 128, beginning with the first, which suffices to find repeated leaks. */
  SAMPLED,
  /** Record all, at a cost of some microseconds each. */
  ALL
}
