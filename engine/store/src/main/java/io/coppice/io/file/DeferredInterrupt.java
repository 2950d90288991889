// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.io.file;

/**
 * Postponement of the current thread's interrupt while it uses a channel, which an interrupt would
 * close. Closing this object restores the interrupt. Belongs to one thread.
 */
public final class DeferredInterrupt implements AutoCloseable {

  private boolean pending = Thread.interrupted();

  /** Postpones an interrupt that arrived since the creation or the last call. */
  public void absorb() {
    pending |= Thread.interrupted();
  }

  @Override
  public void close() {
    if (pending) {
      Thread.currentThread().interrupt();
    }
  }
}
