// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.base.thread;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/**
 * Reference count, starting with one reference of the creator. After the last release no reference
 * can be added. Safe to share between threads.
 */
public final class References {

  // No AtomicInteger, which would be another object: every lookup takes some references.
  private static final VarHandle HELD;

  static {
    try {
      HELD = MethodHandles.lookup().findVarHandle(References.class, "held", int.class);
    } catch (ReflectiveOperationException e) {
      throw new AssertionError(e);
    }
  }

  private volatile int held = 1;

  /** Creates a count of one, the creator's. */
  public References() {}

  /** Adds a reference if possible. Returns false if the last one was released before. */
  public boolean tryRetain() {
    int now = held;
    while (now > 0) {
      int witness = (int) HELD.compareAndExchange(this, now, now + 1);
      if (witness == now) {
        return true;
      }
      now = witness;
    }
    return false;
  }

  /**
   * Releases a reference for good. Returns whether it was the last one, so that the caller frees
   * the counted thing.
   */
  public boolean release() {
    int left = (int) HELD.getAndAdd(this, -1) - 1;
    assert left >= 0 : "released more often than retained";
    return left == 0;
  }

  /** Returns whether the count is above zero. */
  public boolean any() {
    return held > 0;
  }
}
