// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.write;

import jdk.jfr.Category;
import jdk.jfr.Description;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;

/** A write waited: an event of the flight recorder, as long as it waited. */
@Name("io.coppice.Stall")
@Label("Stall")
@Description("A write was made to wait for flushes or merges")
@Category("Coppice")
@StackTrace(false)
final class StallEvent extends Event {

  /** It is held back by so much a byte, as merges or flushes are behind. */
  static final String PACE = "pace";

  /** Flushed runs are too many. */
  static final String MERGES = "merges";

  /** All memtables are full. */
  static final String FLUSHES = "flushes";

  @Label("Store")
  String store;

  @Label("Waited for")
  @Description("pace, merges or flushes")
  String cause;

  /** One that begins now. */
  static StallEvent begun() {
    StallEvent event = new StallEvent();
    event.begin();
    return event;
  }

  /** Ends it, and records it if anybody records. */
  void end(String ofStore, String waitedFor) {
    end();
    if (shouldCommit()) {
      store = ofStore;
      cause = waitedFor;
      commit();
    }
  }
}
