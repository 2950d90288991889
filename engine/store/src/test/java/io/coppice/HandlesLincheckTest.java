// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice;

import io.coppice.base.ClosedException;
import io.coppice.base.thread.Interleavings;
import java.util.concurrent.atomic.AtomicInteger;
import org.jetbrains.lincheck.datastructures.Operation;
import org.junit.jupiter.api.Test;

/** A handle is released once, whoever closes it, and none is opened once all are closed. */
public class HandlesLincheckTest {

  private final OpenHandles handles =
      new OpenHandles(LeakTracking.OFF, () -> 0, (what, age, opened) -> {});

  /** Kept, so that the collector does not find a handle forgotten, whenever it runs. */
  private final Object owner = new Object();

  /** Opens a handle and closes it. */
  @Operation
  public String openAndClose() {
    AtomicInteger releases = new AtomicInteger();
    try {
      OpenHandles.Handle handle =
          handles.add(owner, OpenHandles.What.CURSOR, releases::incrementAndGet);
      handle.close();
      return "released " + releases.get();
    } catch (ClosedException e) {
      return "refused, released " + releases.get();
    }
  }

  /** Closes the store. */
  @Operation
  public String closeAll() {
    handles.closeAll();
    return "open " + handles.count();
  }

  @Test
  void everyInterleavingIsAsOneAfterTheOther() {
    Interleavings.check(getClass());
  }
}
