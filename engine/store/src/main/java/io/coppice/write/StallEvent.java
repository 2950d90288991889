// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.write;

import jdk.jfr.Category;
import jdk.jfr.Description;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;

/**
 * Flight recorder event: a write waited, for example because merges were behind. Its duration is
 * that of the wait.
 */
@Name("io.coppice.Stall")
@Label("Stall")
@Description("A write was made to wait for flushes or merges")
@Category("Coppice")
@StackTrace(false)
final class StallEvent extends Event {

  /** Cause: delayed in proportion to its bytes, because merges or flushes are behind. */
  static final String PACE = "pace";

  /** Cause: too many flushed runs. */
  static final String MERGES = "merges";

  /** Cause: all memtables are full. */
  static final String FLUSHES = "flushes";

  @Label("Store")
  String store;

  @Label("Waited for")
  @Description("pace, merges or flushes")
  String cause;

  /** Returns an event that begins now. */
  static StallEvent begun() {
    StallEvent event = new StallEvent();
    event.begin();
    return event;
  }

  /**
   * Ends the event, and commits it if a recording is active.
   *
   * @param ofStore name of the store
   * @param waitedFor the cause: one of the constants of this class
   */
  void end(String ofStore, String waitedFor) {
    end();
    if (shouldCommit()) {
      store = ofStore;
      cause = waitedFor;
      commit();
    }
  }
}
