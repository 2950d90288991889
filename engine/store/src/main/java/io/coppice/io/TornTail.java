// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.io;

/** Treatment of the end of a log that was being written when the machine stopped. */
public enum TornTail {
  /** Drops the tail and reports its length: right for the newest log. */
  DROP,
  /** Reports the tail as damage: right for a log that was synced before its successor began. */
  REFUSE
}
