// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.io;

/** What to do with the end of a log that was being written when the machine stopped. */
public enum TornTail {
  /** Leave it out and say how many bytes it had: right for the newest log. */
  DROP,
  /** Report it as damage: right for a log that was synced before its successor began. */
  REFUSE
}
