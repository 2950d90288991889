// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice;

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

  Handle add(AutoCloseable owner) {
    Handle handle = new Handle(owner);
    open.add(handle);
    return handle;
  }

  int count() {
    return open.size();
  }

  /** Closes all, waiting for calls in progress on each. */
  void closeAll() {
    List<Handle> handles;
    synchronized (open) {
      handles = new ArrayList<>(open);
    }
    for (Handle handle : handles) {
      try {
        handle.owner.close();
      } catch (Exception e) {
        throw new IllegalStateException("a cursor or snapshot could not be closed", e);
      }
    }
  }
}
