// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.io;

/**
 * Holds back the interrupt of the present thread while it uses a channel, which an interrupt would
 * close, and gives it back at the end.
 */
final class DeferredInterrupt implements AutoCloseable {

  private boolean pending = Thread.interrupted();

  /** Holds back one that came in between as well. */
  void absorb() {
    pending |= Thread.interrupted();
  }

  @Override
  public void close() {
    if (pending) {
      Thread.currentThread().interrupt();
    }
  }
}
