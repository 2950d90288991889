// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.base;

/** Guarantee that a write has when it returns. */
public enum Durability {
  /** In memory only: lost with the process unless its memtable was flushed. No log record. */
  NONE,
  /** Handed to the operating system: survives the process, not a loss of power. */
  BUFFERED,
  /** Synced to the device: survives a loss of power. Concurrent writers share one sync. */
  SYNC
}
