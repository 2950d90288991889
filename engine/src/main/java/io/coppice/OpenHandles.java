// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice;

import io.coppice.base.ClosedException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/**
 * The cursors and snapshots of a store that are open. Closing the store closes them, so that no
 * memory they pin is given back under a reader. Safe to share between threads.
 */
final class OpenHandles {

  private final Set<Handle> open = Collections.synchronizedSet(new LinkedHashSet<>());

  /** Guarded by the set. */
  private boolean closing;

  /** One open cursor or snapshot. */
  final class Handle {
    private final AutoCloseable owner;
    private volatile boolean closed;

    private Handle(AutoCloseable owner) {
      this.owner = owner;
    }

    boolean closed() {
      return closed;
    }

    /** True for the one call that closes it. */
    boolean close() {
      closed = true;
      return open.remove(this);
    }
  }

  /**
   * Adds one.
   *
   * @throws ClosedException if the store closes; whatever the owner holds is still the caller's
   */
  Handle add(AutoCloseable owner) {
    Handle handle = new Handle(owner);
    synchronized (open) {
      if (closing) {
        throw new ClosedException("the store");
      }
      open.add(handle);
    }
    return handle;
  }

  int count() {
    return open.size();
  }

  /** Closes all, waiting for calls in progress on each, and takes no more. */
  void closeAll() {
    List<Handle> handles;
    synchronized (open) {
      closing = true;
      handles = new ArrayList<>(open);
    }
    IllegalStateException failure = null;
    for (Handle handle : handles) {
      try {
        handle.owner.close();
      } catch (Exception e) {
        if (failure == null) {
          failure = new IllegalStateException("a cursor or snapshot could not be closed", e);
        } else {
          failure.addSuppressed(e);
        }
      }
    }
    if (failure != null) {
      throw failure;
    }
  }
}
