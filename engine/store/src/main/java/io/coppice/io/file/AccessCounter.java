// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.io.file;

import java.util.concurrent.atomic.AtomicInteger;

/**
 * Counter of the threads inside a resource that must not be freed under them, such as a mapping or
 * a channel. Exactly one caller, once, is told to free it. Never blocks; safe to share between
 * threads.
 */
final class AccessCounter {

  /** Sign bit, set once the counter is closed; the other bits count the threads inside. */
  private static final int CLOSED = Integer.MIN_VALUE;

  private final AtomicInteger state = new AtomicInteger();

  /** Counts a thread that enters. Returns false, and counts nothing, if the counter is closed. */
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

  /** Counts a thread that leaves. Returns whether the caller must free the resource now. */
  boolean leave() {
    int now = state.decrementAndGet();
    assert now != -1 && now != Integer.MAX_VALUE : "left without having entered";
    return now == CLOSED;
  }

  /** Rejects further threads from now on. Returns whether the caller must free the resource now. */
  boolean close() {
    return state.getAndUpdate(now -> now | CLOSED) == 0;
  }
}
