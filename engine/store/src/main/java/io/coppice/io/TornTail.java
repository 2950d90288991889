// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.io;

/** Treatment of the end of a log that was being written when the machine stopped. */
public enum TornTail {
  /**
   * Drops the torn tail and reports its length. Right for the newest log, which may be incomplete.
   */
  DROP,
  /**
   * Reports the torn tail as damage. Right for a log that was synced before its successor began.
   */
  REFUSE
}
