// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.base;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/**
 * A count of those who hold something, whose maker is the first. Once the last is gone nobody can
 * hold it again. Safe to share between threads.
 */
public final class References {

  // Not an object of its own: every lookup takes some references.
  private static final VarHandle HELD;

  static {
    try {
      HELD = MethodHandles.lookup().findVarHandle(References.class, "held", int.class);
    } catch (ReflectiveOperationException e) {
      throw new AssertionError(e);
    }
  }

  private volatile int held = 1;

  /** One reference, the maker's. */
  public References() {}

  /** Adds a reference, unless the last one was released; false then. */
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

  /** Drops a reference; true if it was the last. */
  public boolean release() {
    int left = (int) HELD.getAndAdd(this, -1) - 1;
    assert left >= 0 : "released more often than retained";
    return left == 0;
  }

  /** True if there is one. */
  public boolean any() {
    return held > 0;
  }
}
