// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.io;

import java.util.concurrent.atomic.AtomicInteger;

/**
 * Counts the threads inside something that must not be given back while one is: a mapping, a
 * channel. Whoever is told to free it, frees it; that is one caller, once. Never blocks.
 */
final class Gate {

  /** The sign bit says closed, the others count. */
  private static final int CLOSED = Integer.MIN_VALUE;

  private final AtomicInteger state = new AtomicInteger();

  /** Enters; false if closed. */
  boolean enter() {
    int now = state.get();
    while (now >= 0) {
      int witness = state.compareAndExchange(now, now + 1);
      if (witness == now) {
        return true;
      }
      now = witness;
    }
    return false;
  }

  /** Leaves; true if the caller has to free it now. */
  boolean leave() {
    int now = state.decrementAndGet();
    assert now != -1 && now != Integer.MAX_VALUE : "left without having entered";
    return now == CLOSED;
  }

  /** Lets nobody in any more; true if the caller has to free it now. */
  boolean close() {
    return state.getAndUpdate(now -> now | CLOSED) == 0;
  }
}
